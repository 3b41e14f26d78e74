package io.stampedeguard.testbed.program;

import java.io.PrintStream;

/**
 * Says what is going on, on standard error: one line that is written over and over on a terminal, else a line for each
 * new subject. Not thread-safe.
 */
public final class Progress {
    private static final String CLEAR_LINE = "\r\u001B[K";
    private static final int BAR_WIDTH = 30;

    private final PrintStream out;
    private final boolean terminal;
    private String subject = "";

    /**
     * Begins with nothing said.
     *
     * @param out where to say it
     * @param terminal whether that is a terminal
     */
    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /**
     * Says what is done now.
     *
     * @param newSubject a few words
     */
    public void now(String newSubject) {
        subject = newSubject;
        if (terminal) {
            out.print(CLEAR_LINE + subject + " …");
            out.flush();
        } else {
            out.println(subject);
        }
    }

    /**
     * Says how far that is, on a terminal.
     *
     * @param detail a few words
     */
    public void at(String detail) {
        if (terminal) {
            out.print(CLEAR_LINE + subject + " … " + detail);
            out.flush();
        }
    }

    /**
     * Says how far that is, on a terminal, as a bar.
     *
     * @param done how much is done
     * @param all of how much
     * @param detail a few words
     */
    public void at(int done, int all, String detail) {
        int full = BAR_WIDTH * done / Math.max(1, all);
        at("[%s%s] %,d/%,d %s".formatted("#".repeat(full), ".".repeat(BAR_WIDTH - full), done, all, detail));
    }

    /** Leaves an empty line for others to write on. */
    public void clear() {
        if (terminal) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }
}
