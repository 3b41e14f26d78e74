package io.stampedeguard.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Markdown without pictures; its headings begin at the third level, so that it fits into a section of another page. */
final class Markdown implements Markup {
    /** The characters that may begin something other than text. */
    private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_~<\\[|&]");

    private final StringBuilder markdown = new StringBuilder();

    @Override
    public void section(String id, String title) {
        block("### " + escaped(title));
    }

    @Override
    public void subsection(String title) {
        block("#### " + escaped(title));
    }

    @Override
    public void paragraph(String text) {
        block(escaped(text));
    }

    @Override
    public void words(Map<String, String> rows) {
        block(row(List.of("", ""))
                + "|---|---|\n"
                + rows.entrySet().stream()
                        .map(each -> row(List.of(each.getKey(), each.getValue())))
                        .collect(Collectors.joining()));
    }

    @Override
    public void numbers(List<String> header, List<List<String>> rows) {
        block(row(header)
                + "|---" + "|--:".repeat(header.size() - 1) + "|\n"
                + rows.stream().map(Markdown::row).collect(Collectors.joining()));
    }

    private static String row(List<String> cells) {
        return cells.stream().map(Markdown::escaped).collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    @Override
    public void notes(Map<String, Tone> notes) {
        if (!notes.isEmpty()) {
            block(notes.keySet().stream().map(text -> "- " + escaped(text)).collect(Collectors.joining("\n")));
        }
    }

    @Override
    public void picture(String svg) {
        // a page of tables
    }

    @Override
    public String end() {
        return markdown.toString();
    }

    /** Blocks are separated by an empty line. */
    private void block(String lines) {
        markdown.append(markdown.isEmpty() ? "" : "\n").append(lines.strip()).append('\n');
    }

    private static String escaped(String text) {
        return SPECIAL.matcher(text).replaceAll(found -> Matcher.quoteReplacement("\\" + found.group()));
    }
}
