package io.stampedeguard.benchmarks.peer;

/**
 * A way of caching that takes part.
 *
 * @param name as it is typed and printed
 * @param shared whether the processes share what is cached; else each has a cache of its own
 * @param opening makes the peer of a process
 */
public record PeerKind(String name, boolean shared, Opening opening) {
    /** Makes the peer of a process. */
    @FunctionalInterface
    public interface Opening {
        /**
         * Opens a peer.
         *
         * @param redisUri where Redis is
         * @param options what the workload wants of all its peers
         * @return a new peer, to be closed
         */
        Peer open(String redisUri, PeerOptions options);
    }

    /**
     * Opens the peer of this process.
     *
     * @param redisUri where Redis is
     * @param options what the workload wants of all its peers
     * @return a new peer, to be closed
     */
    public Peer open(String redisUri, PeerOptions options) {
        return opening.open(redisUri, options);
    }

    @Override
    public String toString() {
        return name;
    }
}
