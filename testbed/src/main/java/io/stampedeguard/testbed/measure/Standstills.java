package io.stampedeguard.testbed.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/** When something that should have run did not, for want of a processor or for any other reason. <em>Thread-safe.</em> */
public final class Standstills {
    private final LongRows spans = new LongRows(2);

    /** Starts empty. */
    public Standstills() {}

    private record Span(long from, long to) {}

    /**
     * Adds one.
     *
     * @param from when it began, in microseconds since the epoch
     * @param to when it ended
     */
    public void add(long from, long to) {
        spans.add(from, to);
    }

    /**
     * Adds those of something else, without which this cannot run.
     *
     * @param others the others
     */
    public void addAll(Standstills others) {
        spans.addAll(others.encode());
    }

    /**
     * Adds those that another process has noted.
     *
     * @param encoded what its {@link #encode()} told
     */
    public void addAll(String encoded) {
        spans.addAll(encoded);
    }

    /**
     * Returns all in one word.
     *
     * @return compressed text for {@link #addAll(String)}
     */
    public String encode() {
        return spans.encode();
    }

    /**
     * Returns how long the longest was.
     *
     * @return microseconds, 0 if there was none
     */
    public long longestMicros() {
        return all().stream().mapToLong(span -> span.to() - span.from()).max().orElse(0);
    }

    /**
     * Returns how long those were that ended late enough.
     *
     * @param since an instant, in microseconds since the epoch
     * @return microseconds, for each standstill that ended after it
     */
    public LongStream lengthsMicros(long since) {
        return all().stream().filter(span -> span.to() > since).mapToLong(span -> span.to() - span.from());
    }

    /**
     * Returns how much of a time was no standstill.
     *
     * @param from when it began, in microseconds since the epoch
     * @param to when it ended
     * @return microseconds
     */
    public long runningMicros(long from, long to) {
        long running = 0;
        long reached = from;
        for (Span span : all()) {
            if (span.to() > reached && span.from() < to) {
                running += Math.max(0, span.from() - reached);
                reached = span.to();
            }
        }
        return running + Math.max(0, to - reached);
    }

    private List<Span> all() {
        long[] from = spans.column(0);
        long[] to = spans.column(1);
        List<Span> all = new ArrayList<>();
        for (int i = 0; i < from.length; i++) {
            all.add(new Span(from[i], to[i]));
        }
        all.sort(Comparator.comparingLong(Span::from));
        return all;
    }
}
