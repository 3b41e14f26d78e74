package io.stampedeguard.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A self-contained HTML page, without scripts and without references to other files. */
final class Html implements Markup {
    private static final String BEGIN = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>stampede bench</title>
            <style>
            :root { color-scheme: light dark; }
            body { font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;
                   max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
            table { border-collapse: collapse; margin: 0.75rem 0; display: block; overflow-x: auto; }
            th, td { border-bottom: 1px solid #8884; padding: 0.25rem 0.75rem; text-align: left; white-space: nowrap; }
            td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
            td.words { white-space: normal; }
            svg { display: block; margin: 0.75rem 0; max-width: 100%; height: auto; }
            .missed, .failed { color: #d1242f; }
            .reached { color: #1a7f37; }
            </style>
            </head>
            <body>
            <h1>stampede bench</h1>
            <p>Bars begin at zero; the line over a bar is the range.</p>
            """;

    private final StringBuilder html = new StringBuilder(BEGIN);

    @Override
    public void section(String id, String title) {
        html.append("<h2 id=\"%s\">%s</h2>%n".formatted(id, escaped(title)));
    }

    @Override
    public void subsection(String title) {
        html.append("<h3>%s</h3>%n".formatted(escaped(title)));
    }

    @Override
    public void paragraph(String text) {
        html.append("<p>%s</p>%n".formatted(escaped(text)));
    }

    @Override
    public void words(Map<String, String> rows) {
        html.append("<table>\n");
        rows.forEach((name, words) -> html.append(
                "<tr><th>%s</th><td class=\"words\">%s</td></tr>%n".formatted(escaped(name), escaped(words))));
        html.append("</table>\n");
    }

    @Override
    public void numbers(List<String> header, List<List<String>> rows) {
        html.append("<table>\n");
        row("th", header);
        rows.forEach(row -> row("td", row));
        html.append("</table>\n");
    }

    private void row(String tag, List<String> cells) {
        html.append("<tr><th>%s</th>".formatted(escaped(cells.get(0))));
        cells.stream()
                .skip(1)
                .forEach(cell -> html.append("<%1$s class=\"number\">%2$s</%1$s>".formatted(tag, escaped(cell))));
        html.append("</tr>\n");
    }

    @Override
    public void notes(Map<String, Tone> notes) {
        notes.forEach((text, tone) ->
                html.append("<p class=\"%s\">%s</p>%n".formatted(tone.name().toLowerCase(Locale.ROOT), escaped(text))));
    }

    @Override
    public void picture(String svg) {
        html.append(svg);
    }

    @Override
    public String end() {
        return html.append("</body>\n</html>\n").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
