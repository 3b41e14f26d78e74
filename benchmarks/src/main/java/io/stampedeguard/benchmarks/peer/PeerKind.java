package io.stampedeguard.benchmarks.peer;

/**
 * A kind of cache in the comparison.
 *
 * @param name the name in options and output
 * @param shared whether the processes share cached values; otherwise each has a cache of its own
 * @param opening the way to open the peer of a process
 */
public record PeerKind(String name, boolean shared, Opening opening) {
    /** The way to open the peer of a process. */
    @FunctionalInterface
    public interface Opening {
        /**
         * Opens a peer.
         *
         * @param redisUri the URI of Redis
         * @param options the workload's options for all peers
         * @return a new peer; the caller must close it
         */
        Peer open(String redisUri, PeerOptions options);
    }

    /**
     * Opens the peer of this process.
     *
     * @param redisUri the URI of Redis
     * @param options the workload's options for all peers
     * @return a new peer; the caller must close it
     */
    public Peer open(String redisUri, PeerOptions options) {
        return opening.open(redisUri, options);
    }

    @Override
    public String toString() {
        return name;
    }
}
