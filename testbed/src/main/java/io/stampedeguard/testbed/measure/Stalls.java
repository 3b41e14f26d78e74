package io.stampedeguard.testbed.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/** The time spans in which a process stalled, because no processor was free or for any other reason. <em>Thread-safe.</em> */
public final class Stalls {
    private final LongRows spans = new LongRows(2);

    private record Span(long from, long to) {}

    /** Adds a stall. */
    public void add(long from, long to) {
        spans.add(from, to);
    }

    /** Adds the stalls of something that this process depends on. */
    public void addAll(Stalls others) {
        spans.addAll(others.encode());
    }

    /** Adds the stalls that another process has recorded. */
    public void addAll(String encoded) {
        spans.addAll(encoded);
    }

    /** {@return all stalls in one word: compressed text for {@link #addAll(String)}} */
    public String encode() {
        return spans.encode();
    }

    /** {@return the length of the longest stall, in microseconds; 0 if there was none} */
    public long longestMicros() {
        return all().stream().mapToLong(span -> span.to() - span.from()).max().orElse(0);
    }

    /** {@return the lengths, in microseconds, of the stalls that ended after an instant} */
    public LongStream lengthsMicros(long since) {
        return all().stream().filter(span -> span.to() > since).mapToLong(span -> span.to() - span.from());
    }

    /** {@return how many microseconds of a time span were not stalled} */
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
