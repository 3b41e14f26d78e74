package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.program.Svg;

/**
 * A picture of the plain and the guarded run as SVG: two panels over one time axis, plain above and guarded below.
 */
public final class StampedePicture {
    private static final int HEIGHT = 484;
    private static final int PLAIN_TOP = 88;
    private static final int GUARDED_TOP = 282;

    private static final String STYLE = """
              .plain { fill: #d1242f; }
              .guarded { fill: #1a7f37; }
              .plain.running { stroke: #d1242f; }
              .guarded.running { stroke: #1a7f37; }
              .waiting { opacity: 0.28; }
              @media (prefers-color-scheme: dark) {
                .plain { fill: #ff7b72; }
                .guarded { fill: #56d364; }
                .plain.running { stroke: #ff7b72; }
                .guarded.running { stroke: #56d364; }
                .waiting { opacity: 0.32; }
              }
            """;

    private StampedePicture() {}

    /** Draws a scenario in which all callers ask once, at the release; returns the text of an SVG file. */
    public static String of(Figures plain, Figures guarded) {
        Axes axes = Axes.around(plain, guarded);
        String title = "One hot product is not in the cache and %d callers ask at once, without and with the guard"
                .formatted(plain.allCallers());
        return Svg.begin(Axes.WIDTH, HEIGHT, title, STYLE)
                + "<text class=\"said\" x=\"%d\" y=\"30\">%s</text>%n"
                        .formatted(
                                Axes.LEFT,
                                "A hot product is not in the cache, and %d callers in %d processes ask for it at once."
                                        .formatted(plain.allCallers(), plain.processes()))
                + new Panel(axes, PLAIN_TOP, "plain", "Plain cache-aside", plain).draw()
                + new Panel(axes, GUARDED_TOP, "guarded", "StampedeGuardedCache", guarded).draw()
                + axes.timeLabels(GUARDED_TOP + Axes.PANEL_HEIGHT)
                + Svg.END;
    }
}
