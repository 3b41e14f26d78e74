package io.stampedeguard.testbed.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/** The time spans in which a process stalled, because no processor was free or for any other reason. <em>Thread-safe.</em> */
public final class Standstills {
    private final LongRows spans = new LongRows(2);

    /** Creates an empty set of stalls. */
    public Standstills() {}

    private record Span(long from, long to) {}

    /**
     * Adds a stall.
     *
     * @param from when it began, in microseconds since the epoch
     * @param to when it ended
     */
    public void add(long from, long to) {
        spans.add(from, to);
    }

    /**
     * Adds the stalls of something that this process depends on.
     *
     * @param others the others
     */
    public void addAll(Standstills others) {
        spans.addAll(others.encode());
    }

    /**
     * Adds the stalls that another process has recorded.
     *
     * @param encoded the result of its {@link #encode()}
     */
    public void addAll(String encoded) {
        spans.addAll(encoded);
    }

    /**
     * Returns all stalls in one word.
     *
     * @return compressed text for {@link #addAll(String)}
     */
    public String encode() {
        return spans.encode();
    }

    /**
     * Returns the length of the longest stall.
     *
     * @return microseconds, 0 if there was none
     */
    public long longestMicros() {
        return all().stream().mapToLong(span -> span.to() - span.from()).max().orElse(0);
    }

    /**
     * Returns the lengths of the stalls that ended after an instant.
     *
     * @param since an instant, in microseconds since the epoch
     * @return microseconds, for each stall that ended after it
     */
    public LongStream lengthsMicros(long since) {
        return all().stream().filter(span -> span.to() > since).mapToLong(span -> span.to() - span.from());
    }

    /**
     * Returns how much of a time span was not stalled.
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
