package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.testbed.PlainRedis;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * The options that a workload sets for all its peers, {@code null} for the peer's default: how long a value is fresh (5 minutes in
 * most peers), how long peers that serve stale values keep one, the number of connections to Redis of each process (64 in most
 * peers), how long absence is cached by peers with negative caching, and the capacity in keys of the key filter of peers that
 * have one (some thousand by default). If {@code patient}, no request to Redis times out, and no process counts as dead, however
 * busy the machine is. If {@code singly}, each request to Redis is sent by itself, so that as many are counted as there were calls.
 * <em>Immutable.</em>
 */
public record PeerOptions(
        @Nullable Duration ttl,
        @Nullable Duration hardTtl,
        @Nullable Integer connections,
        @Nullable Duration negativeTtl,
        @Nullable Integer filterKeys,
        boolean patient,
        boolean singly) {
    private static final Duration USUAL_TTL = Duration.ofMinutes(5);
    private static final int USUAL_CONNECTIONS = 64;
    private static final int USUAL_FILTER_KEYS = 10_000;

    public static PeerOptions usual() {
        return new PeerOptions(null, null, null, null, null, false, false);
    }

    /** Sets how long a value is fresh. */
    public static PeerOptions ttl(Duration length) {
        return new PeerOptions(length, null, null, null, null, false, false);
    }

    public static PeerOptions connections(int count) {
        return new PeerOptions(null, null, count, null, null, false, false);
    }

    /** Sets how long a value is kept by peers that serve it stale after its TTL. */
    public PeerOptions keepingStale(Duration length) {
        return new PeerOptions(ttl, length, connections, negativeTtl, filterKeys, patient, singly);
    }

    /** Sets how long absence is cached; zero: not at all. */
    public PeerOptions keepingNegatives(Duration length) {
        return new PeerOptions(ttl, hardTtl, connections, length, filterKeys, patient, singly);
    }

    /** Sets the capacity of the key filter. */
    public PeerOptions filtering(int keys) {
        return new PeerOptions(ttl, hardTtl, connections, negativeTtl, keys, patient, singly);
    }

    /** Lets all wait for Redis, and for each other, as long as a busy machine may take. */
    public PeerOptions patiently() {
        return new PeerOptions(ttl, hardTtl, connections, negativeTtl, filterKeys, true, singly);
    }

    /** Sends each read of Redis by itself. */
    public PeerOptions readingSingly() {
        return new PeerOptions(ttl, hardTtl, connections, negativeTtl, filterKeys, patient, true);
    }

    int filterKeysOrUsual() {
        return filterKeys == null ? USUAL_FILTER_KEYS : filterKeys;
    }

    public Duration ttlOrUsual() {
        return ttl == null ? USUAL_TTL : ttl;
    }

    public int connectionsOrUsual() {
        return connections == null ? USUAL_CONNECTIONS : connections;
    }

    /** Connects a peer without a store. */
    RedisClient connect(String redisUri) {
        int count = connectionsOrUsual();
        return patient ? PlainRedis.connectPatiently(redisUri, count) : PlainRedis.connect(redisUri, count);
    }
}
