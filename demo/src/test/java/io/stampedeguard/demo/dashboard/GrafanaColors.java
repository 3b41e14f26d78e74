package io.stampedeguard.demo.dashboard;

import static java.util.Objects.requireNonNull;

import java.awt.Color;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The colors that Grafana gives the series of a panel on a white background: those of its overrides, else those of its palette. */
final class GrafanaColors {
    private static final Map<String, Integer> NAMED = Map.ofEntries(
            Map.entry("super-light-blue", 0x8ab8ff),
            Map.entry("light-blue", 0x5794f2),
            Map.entry("blue", 0x3274d9),
            Map.entry("dark-blue", 0x1250b0),
            Map.entry("green", 0x56a64b),
            Map.entry("dark-green", 0x19730e),
            Map.entry("yellow", 0xf2cc0c),
            Map.entry("dark-yellow", 0xcc9d00),
            Map.entry("orange", 0xff780a),
            Map.entry("dark-orange", 0xe55400),
            Map.entry("red", 0xe02f44),
            Map.entry("dark-red", 0xad0317),
            Map.entry("purple", 0xa352cc),
            Map.entry("dark-purple", 0x7c2ea3));

    /** The first colors of "palette-classic". */
    private static final List<String> PALETTE = List.of(
            "green",
            "yellow",
            "blue",
            "orange",
            "red",
            "purple",
            "dark-green",
            "dark-yellow",
            "dark-blue",
            "dark-orange",
            "dark-red",
            "dark-purple");

    private GrafanaColors() {}

    /** Returns the color of a series by its legend and its place among all series of the panel. */
    static Color of(JsonNode panel, String legend, int place) {
        String name = DashboardFiles.elements(panel.get("fieldConfig").get("overrides"))
                .filter(override ->
                        override.get("matcher").get("options").asString().equals(legend))
                .flatMap(override -> DashboardFiles.elements(override.get("properties")))
                .filter(property -> property.get("id").asString().equals("color"))
                .map(property -> property.get("value").get("fixedColor").asString())
                .findFirst()
                .orElse(PALETTE.get(place % PALETTE.size()));
        return new Color(requireNonNull(NAMED.get(name), name));
    }
}
