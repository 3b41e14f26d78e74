package io.stampedeguard.benchmarks.peer;

/** A kind of cache in the comparison. If {@code shared}, the processes share cached values; otherwise each has its own cache. */
public record PeerKind(String name, boolean shared, Opening opening) {
    /** The way to open the peer of a process. */
    @FunctionalInterface
    public interface Opening {
        Peer open(String redisUri, PeerOptions options);
    }

    /** Opens the peer of this process with the workload's options; the caller must close it. */
    public Peer open(String redisUri, PeerOptions options) {
        return opening.open(redisUri, options);
    }

    @Override
    public String toString() {
        return name;
    }
}
