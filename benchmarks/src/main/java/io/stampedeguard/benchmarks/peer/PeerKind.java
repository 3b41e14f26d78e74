package io.stampedeguard.benchmarks.peer;

import java.util.function.Function;

/**
 * A way of caching that takes part.
 *
 * @param name as it is typed and printed
 * @param shared whether the processes share what is cached; else each has a cache of its own
 * @param opening makes the peer of a process, given the URI of Redis
 */
public record PeerKind(String name, boolean shared, Function<String, Peer> opening) {
    /**
     * Opens the peer of this process.
     *
     * @param redisUri where Redis is
     * @return a new peer, to be closed
     */
    public Peer open(String redisUri) {
        return opening.apply(redisUri);
    }

    @Override
    public String toString() {
        return name;
    }
}
