package io.stampedeguard.demo.serve.figures;

/** What the processes of both fleets count. */
public enum Count {
    /** Calls of callers that have ended, well or not. */
    CALLS,
    /** Queries to the database. */
    QUERIES,
    /** Those for the hot key. */
    HOT_QUERIES,
    /** Those for keys that no product has. */
    MADE_UP_QUERIES,
    /** Calls answered with a stale value. */
    STALE,
    /** Calls that found nothing fresh and were answered without a query of their own; hits are not among them. */
    SAVED,
    /** Calls that ended with an exception. */
    FAILURES
}
