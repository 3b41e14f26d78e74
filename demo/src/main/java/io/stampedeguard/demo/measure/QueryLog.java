package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.Concurrency;
import io.stampedeguard.testbed.measure.LongRows;
import java.util.stream.LongStream;

/**
 * A log of when each database query was requested, began (had a connection), and ended, by the clock that all processes
 * of the machine share. <em>Thread-safe.</em>
 */
public final class QueryLog {
    private static final int ASKED = 0;
    private static final int BEGAN = 1;
    private static final int ENDED = 2;

    private final LongRows micros = new LongRows(3);

    /** Adds a completed query, with the three times in microseconds since the epoch. */
    public void add(long asked, long began, long ended) {
        micros.add(asked, began, ended);
    }

    /** Adds the log of another process, the result of its {@link #encode()}. */
    public void addAll(String encoded) {
        micros.addAll(encoded);
    }

    public int size() {
        return micros.size();
    }

    /** Returns the number of queries that got a connection from one instant until before another, in microseconds. */
    public int begunBetween(long from, long to) {
        return (int) LongStream.of(micros.column(BEGAN))
                .filter(began -> began >= from && began < to)
                .count();
    }

    /** Returns the number of running queries at each moment, from getting a connection to the end of the query. */
    public Concurrency running() {
        return Concurrency.of(micros.column(BEGAN), micros.column(ENDED));
    }

    /** Returns the number of callers that used the database at each moment, with a connection or queuing for one. */
    public Concurrency runningOrQueued() {
        return Concurrency.of(micros.column(ASKED), micros.column(ENDED));
    }

    public String encode() {
        return micros.encode();
    }
}
