package io.stampedeguard.demo.serve.figures;

/** The counts of the processes of both fleets. */
public enum Count {
    /** Completed calls, successful or not. */
    CALLS,
    QUERIES,
    HOT_QUERIES,
    /** Queries for nonexistent keys. */
    NONEXISTENT_QUERIES,
    STALE,
    /** Answers from near caches. */
    NEAR,
    /** Calls that found no fresh value and were answered without a query of their own; hits are not included. */
    SAVED,
    FAILURES
}
