package io.stampedeguard.testbed.program;

import java.util.Locale;

/**
 * The common parts of the pictures of the docs, as SVG: they follow the light or dark scheme of the reader's screen. The classes of
 * the style are {@code name}, {@code said}, {@code tick}, and {@code note} for texts, {@code grid} and {@code base} for lines.
 */
public final class Svg {
    /** The last line of a picture. */
    public static final String END = "</svg>\n";

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
              @media (prefers-color-scheme: dark) {
                .page { fill: #0d1117; }
                .said, .note { fill: #c9d1d9; }
                .tick { fill: #8b949e; }
                .grid { stroke: #21262d; }
                .base { stroke: #6e7681; }
              }
            """;

    private Svg() {}

    /** {@return the beginning of a picture, with its background} */
    public static String begin(int width, int height, String title, String style) {
        return """
               <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
               <title>%3$s</title>
               """.formatted(width, height, escaped(title))
                + STYLE
                + style
                + "</style>\n"
                + "<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"8\"/>%n".formatted(width, height);
    }

    /** {@return a line between two points} */
    public static String line(String style, double x1, double y1, double x2, double y2) {
        return String.format(
                Locale.ROOT,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
                style,
                x1,
                y1,
                x2,
                y2);
    }

    /**
     * {@return a text}
     *
     * @param anchor which part of the text is at the point: {@code start}, {@code middle}, or {@code end}
     */
    public static String text(String style, double x, double y, String anchor, String text) {
        return String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                style,
                x,
                y,
                anchor,
                escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
