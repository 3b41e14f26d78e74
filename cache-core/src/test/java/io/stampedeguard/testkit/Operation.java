package io.stampedeguard.testkit;

/**
 * One call of one caller in a history, or one key of a call for many keys, all of which begin and end together.
 * <em>Immutable.</em>
 *
 * @param caller the caller
 * @param key the key
 * @param kind the called operation
 * @param ending how it ended
 * @param begin a place before the call, in one order of the begins and ends of all callers
 * @param end a place after the call in the same order; meaningless for one that is {@link Ending#UNFINISHED}
 * @param version the version that a read returned or a write made; meaningless for other calls
 */
public record Operation(Caller caller, String key, Kind kind, Ending ending, long begin, long end, long version) {
    /**
     * The caller.
     *
     * @param process the process whose near cache answers it, if there is one
     * @param thread for messages only
     */
    public record Caller(String process, String thread) {
        /** Returns both numbers. */
        @Override
        public String toString() {
            return process + "/" + thread;
        }
    }

    /** The called operation. */
    public enum Kind {
        /** A read through the cache. */
        GET("get"),
        /** A new version in the origin, greater than all before it; the cache was not notified. */
        WRITE("write"),
        /** The key was invalidated in the cache. */
        INVALIDATION("invalidation"),
        /**
         * A version was put into the cache. It may take effect at any moment of the call, and thus after an invalidation that
         * overlaps it, but not later.
         */
        PUT("put"),
        /** The key was marked stale in the cache: it may still be served, so nothing is promised. */
        EXPIRY("expiry"),
        /** A read of one key by a call that returned a future; it ends when the future completes. */
        GET_ASYNC("getAsync"),
        /** One key of a read of many. */
        GET_ALL("getAll"),
        /** One key of a read of many by a call that returned a future; it ends when the future completes. */
        GET_ALL_ASYNC("getAllAsync");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Returns the name of the call. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** How a call ended. */
    public enum Ending {
        /** Not at all: the caller's process died. */
        UNFINISHED,
        /** It returned. */
        RETURNED,
        /**
         * A get that returned the value of its process's near cache: an invalidation elsewhere may not have reached it
         * yet.
         */
        NEAR,
        /** It threw: a get has no answer, an invalidation promises nothing. */
        THREW,
        /**
         * It returned, but the shared store had not answered it. Such an invalidation is queued: it promises something to its
         * own process only. Such a get is owed only what was promised in its own process.
         */
        WITHOUT_STORE,
        /**
         * A get that returned what its own loader had read in a snapshot from before the call: it is owed nothing, unlike every other
         * get that this value may reach.
         */
        BY_ITS_OWN_SNAPSHOT
    }
}
