package io.stampedeguard.benchmarks.peer;

import java.util.List;

/**
 * A module whose peers fail: {@code redisson-map} does not support what a workload needs, and {@code redisson-lock} cannot be
 * opened. It is found only with {@code failing-peers} on the class path.
 */
public final class FailingPeers implements PeerModule {
    public FailingPeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(
                failing("redisson-map", new UnsupportedOperationException("values have no TTL")),
                failing("redisson-lock", new IllegalStateException("no\nconnection")));
    }

    private static PeerKind failing(String name, RuntimeException failure) {
        return new PeerKind(
                name,
                PeerKind.Storage.REDIS,
                (redis, options) -> {
                    throw failure;
                },
                "fails");
    }
}
