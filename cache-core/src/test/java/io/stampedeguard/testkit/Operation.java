package io.stampedeguard.testkit;

/**
 * One call of one caller, as it stands in a history. <em>Immutable.</em>
 *
 * @param caller who called
 * @param key the key
 * @param kind what was called
 * @param ending how it ended
 * @param begin a place before the call, in one order of the begins and ends of all callers
 * @param end a place after the call in the same order; of no meaning for one that is {@link Ending#UNFINISHED}
 * @param version the version that a get returned or a write made; of no meaning for other calls
 */
public record Operation(Caller caller, String key, Kind kind, Ending ending, long begin, long end, long version) {
    /**
     * Who called.
     *
     * @param process whose near cache answers it, if there are any
     * @param thread for messages only
     */
    public record Caller(String process, String thread) {
        /** Returns both. */
        @Override
        public String toString() {
            return process + "/" + thread;
        }
    }

    /** What was called. */
    public enum Kind {
        /** A read through the cache. */
        GET,
        /** A new version in the origin, greater than all before it; nothing was said to the cache. */
        WRITE,
        /** The cache was told that its value is out of date. */
        INVALIDATION,
        /** The cache was told that its value is stale: it may still be served, so nothing is promised. */
        EXPIRY
    }

    /** How a call ended. */
    public enum Ending {
        /** It never did: the caller's process died. */
        UNFINISHED,
        /** It returned. */
        RETURNED,
        /** A get that returned what the near cache of its process had: an invalidation elsewhere may be news to it. */
        NEAR,
        /** It threw: a get has no answer, an invalidation promises nothing. */
        THREW,
        /** It returned, but the shared store had not answered it: what is promised of the store does not hold for it. */
        WITHOUT_STORE
    }
}
