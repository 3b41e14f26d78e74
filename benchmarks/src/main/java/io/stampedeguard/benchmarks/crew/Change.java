package io.stampedeguard.benchmarks.crew;

/**
 * One process' part in the change of a row whose old value two processes have in their cache. All of it but the watch is done
 * when the process is prepared; the watch ends with the release, and then each reports its answers. Loads take no time.
 * <em>Immutable.</em>
 */
public record Change(String key, Part part) {
    /** What a process does after it has read the old value. */
    public enum Part {
        /**
         * It reads the key over and over, until one read has begun after the release; the answers have the last read of the old
         * value in detail.
         */
        WATCH,
        /** It removes the key and then reads it, on the same thread; the answers have both reads in detail. */
        REMOVE,
        /** As {@link #REMOVE}, but it clears the cache. */
        CLEAR
    }
}
