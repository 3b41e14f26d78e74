package io.stampedeguard.testbed.program;

import java.io.PrintStream;

/**
 * The progress of a run, on standard error: a terminal shows one line that is overwritten; other outputs get one line
 * for each new subject. Not thread-safe.
 */
public final class Progress {
    private static final String CLEAR_LINE = "\r\u001B[K";
    private static final int BAR_WIDTH = 30;

    private final PrintStream out;
    private final boolean terminal;
    private String subject = "";

    /** Creates a progress display that has shown nothing yet. */
    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Starts a new subject. */
    public void now(String newSubject) {
        subject = newSubject;
        if (terminal) {
            out.print(CLEAR_LINE + subject);
            out.flush();
        } else {
            out.println(subject);
        }
    }

    /** Shows the progress of the current subject; only on a terminal. */
    public void at(String detail) {
        if (terminal) {
            out.print(CLEAR_LINE + subject + "  " + detail);
            out.flush();
        }
    }

    /** Shows the progress of the current subject as a bar; only on a terminal. */
    public void at(int done, int all, String detail) {
        int full = BAR_WIDTH * done / Math.max(1, all);
        at("[%s%s] %,d/%,d %s".formatted("#".repeat(full), ".".repeat(BAR_WIDTH - full), done, all, detail));
    }

    /** Clears the line, so that other output starts on an empty one. */
    public void clear() {
        if (terminal) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }
}
