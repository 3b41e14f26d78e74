package io.stampedeguard.benchmarks.report;

import java.util.List;
import java.util.Map;

/** A page while it is written, block by block, in one format. Texts are plain; the format escapes them. For one thread. */
interface Markup {
    /** What a note is about. */
    enum Tone {
        FAILED,
        MISSED,
        REACHED
    }

    void section(String id, String title);

    void subsection(String title);

    void paragraph(String text);

    /** Adds a table of names and words. */
    void words(Map<String, String> rows);

    /** Adds a table of numbers; the first cell of the header and of each row is a name. */
    void numbers(List<String> header, List<List<String>> rows);

    /** Adds notes, one per line; a format without colors shows their texts only. */
    void notes(Map<String, Tone> notes);

    /** Adds a picture; a format without pictures leaves it out. */
    void picture(String svg);

    /** Returns the whole page; nothing may be added afterwards. */
    String end();
}
