package io.stampedeguard.demo.report;

import java.io.PrintStream;

/**
 * Says what is going on, on standard error: one line that is written over and over on a terminal, else a line for each
 * new subject. Not thread-safe.
 */
public final class Progress {
    private static final String CLEAR_LINE = "\r\u001B[K";

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

    /** Leaves an empty line for others to write on. */
    public void clear() {
        if (terminal) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }
}
