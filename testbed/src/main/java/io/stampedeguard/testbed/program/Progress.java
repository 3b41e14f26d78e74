package io.stampedeguard.testbed.program;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The progress of a run, on standard error: a terminal shows one line that is overwritten; other outputs get one line
 * for each new subject, and, if there is an interval, one at most in each interval of a long one. Not thread-safe.
 */
public final class Progress {
    private static final String CLEAR_LINE = "\r\u001B[K";
    private static final int BAR_WIDTH = 30;

    private final PrintStream out;
    private final boolean terminal;
    private final long intervalNanos;
    private final LongSupplier nanos;
    private long shownNanos;
    private String subject = "";

    /** Creates a progress display that has shown nothing yet. */
    public Progress(PrintStream out, boolean terminal) {
        this(out, terminal, Duration.ofNanos(Long.MAX_VALUE), () -> 0);
    }

    /** Creates a progress display that has shown nothing yet; {@code nanos} is a monotonic clock for the interval. */
    public Progress(PrintStream out, boolean terminal, Duration interval, LongSupplier nanos) {
        this.out = out;
        this.terminal = terminal;
        this.intervalNanos = interval.toNanos();
        this.nanos = nanos;
        this.shownNanos = nanos.getAsLong();
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

    /** Shows the progress of the current subject; without a terminal, at most once in an interval. */
    public void at(String detail) {
        if (terminal) {
            out.print(CLEAR_LINE + subject + "  " + detail);
            out.flush();
        } else if (nanos.getAsLong() - shownNanos >= intervalNanos) {
            shownNanos = nanos.getAsLong();
            out.println((subject + "  " + detail).strip());
        }
    }

    /** Shows the progress of the current subject as a bar, as by {@link #at(String)}. */
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
