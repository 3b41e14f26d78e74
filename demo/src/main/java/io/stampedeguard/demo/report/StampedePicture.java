package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;

/**
 * A picture of the plain and the guarded run as SVG: two panels over one time axis, plain above and guarded below. It
 * follows the light or dark scheme of the reader's screen.
 */
public final class StampedePicture {
    private static final int HEIGHT = 484;
    private static final int PLAIN_TOP = 88;
    private static final int GUARDED_TOP = 282;

    private static final String STYLE = """
            <style>
              text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
              .page { fill: #ffffff; }
              .name { font-size: 17px; font-weight: 600; }
              .said { font-size: 15px; fill: #3d4450; }
              .tick { font-size: 12px; fill: #6b7280; }
              .grid { stroke: #e5e7eb; stroke-width: 1; }
              .base { stroke: #9ca3af; stroke-width: 1; }
              .note { font-size: 13px; fill: #3d4450; }
              .lead { stroke: #9ca3af; stroke-width: 1; }
              .plain { fill: #d1242f; }
              .guarded { fill: #1a7f37; }
              .plain.running { stroke: #d1242f; }
              .guarded.running { stroke: #1a7f37; }
              .waiting { opacity: 0.28; }
              @media (prefers-color-scheme: dark) {
                .page { fill: #0d1117; }
                .said, .note { fill: #c9d1d9; }
                .tick { fill: #8b949e; }
                .grid { stroke: #21262d; }
                .base, .lead { stroke: #6e7681; }
                .plain { fill: #ff7b72; }
                .guarded { fill: #56d364; }
                .plain.running { stroke: #ff7b72; }
                .guarded.running { stroke: #56d364; }
                .waiting { opacity: 0.32; }
              }
            </style>
            """;

    private StampedePicture() {}

    /** Draws a scenario in which all callers ask once, at the release; returns the text of an SVG file. */
    public static String of(Figures plain, Figures guarded) {
        Axes axes = Axes.around(plain, guarded);
        return """
               <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
               <title>One hot product is not in the cache and %3$d callers ask at once, without and with the guard</title>
               """.formatted(Axes.WIDTH, HEIGHT, plain.allCallers())
                + STYLE
                + "<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"8\"/>%n".formatted(Axes.WIDTH, HEIGHT)
                + "<text class=\"said\" x=\"%d\" y=\"30\">%s</text>%n"
                        .formatted(
                                Axes.LEFT,
                                "A hot product is not in the cache, and %d callers in %d processes ask for it at once."
                                        .formatted(plain.allCallers(), plain.processes()))
                + new Panel(axes, PLAIN_TOP, "plain", "Plain cache-aside", plain).draw()
                + new Panel(axes, GUARDED_TOP, "guarded", "StampedeGuardedCache", guarded).draw()
                + axes.timeLabels(GUARDED_TOP + Axes.PANEL_HEIGHT)
                + "</svg>\n";
    }
}
