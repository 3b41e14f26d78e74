package io.stampedeguard.redis;

import io.stampedeguard.testbed.topology.RedisCluster;

/**
 * The one cluster of this test JVM, for tests that kill none of its servers. Its resource lock is taken to read by
 * tests that use keys and connections of their own, and to write by tests that disturb others: they stop servers for a
 * while, move slots, flush scripts, cut connections, or count what the servers do.
 */
public final class SharedCluster {
    public static final String LOCK = "io.stampedeguard.redis.SharedCluster";

    private static final RedisCluster CLUSTER = RedisCluster.startWithoutFailover();

    private SharedCluster() {}

    public static RedisCluster get() {
        return CLUSTER;
    }
}
