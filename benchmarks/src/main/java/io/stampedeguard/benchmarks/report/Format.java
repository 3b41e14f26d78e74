package io.stampedeguard.benchmarks.report;

import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a report is written, which the name of its file decides. */
public enum Format {
    /** One self-contained page with tables and charts. */
    HTML(".html"),
    /** The tables without the charts, to be inserted into a page. */
    MARKDOWN(".md");

    private final String extension;

    Format(String extension) {
        this.extension = extension;
    }

    /** Returns the format that a file's name ends in, {@code null} if it ends in none. */
    public static @Nullable Format of(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return Stream.of(values())
                .filter(format -> name.endsWith(format.extension))
                .findFirst()
                .orElse(null);
    }

    /** Returns a report in this format. */
    public String written(Report report) {
        return this == HTML ? HtmlPage.of(report) : Markdown.of(report);
    }
}
