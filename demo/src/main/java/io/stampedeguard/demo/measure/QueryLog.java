package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.LongRows;

/**
 * When each query to the database was asked for, began (had a connection) and ended, by the clock that all processes of
 * the machine share. <em>Thread-safe.</em>
 */
public final class QueryLog {
    private static final int ASKED = 0;
    private static final int BEGAN = 1;
    private static final int ENDED = 2;

    private final LongRows micros = new LongRows(3);

    /** Starts empty. */
    public QueryLog() {}

    /**
     * Adds a query that is over.
     *
     * @param asked when a connection was asked for, in microseconds since the epoch
     * @param began when there was one
     * @param ended when the answer was read
     */
    public void add(long asked, long began, long ended) {
        micros.add(asked, began, ended);
    }

    /**
     * Adds what another process has logged.
     *
     * @param encoded what its {@link #encode()} told
     */
    public void addAll(String encoded) {
        micros.addAll(encoded);
    }

    /**
     * Returns how many queries there were.
     *
     * @return their number
     */
    public int size() {
        return micros.size();
    }

    /**
     * Returns how many queries were running at each moment.
     *
     * @return from having a connection to the end of the query
     */
    public Concurrency running() {
        return Concurrency.of(micros.column(BEGAN), micros.column(ENDED));
    }

    /**
     * Returns how many callers were with the database at each moment, with a connection or queuing for one.
     *
     * @return from asking for a connection to the end of the query
     */
    public Concurrency runningOrQueued() {
        return Concurrency.of(micros.column(ASKED), micros.column(ENDED));
    }

    /**
     * Returns the log in one word.
     *
     * @return compressed text for {@link #addAll}
     */
    public String encode() {
        return micros.encode();
    }
}
