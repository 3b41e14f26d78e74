package io.stampedeguard.redis.internal.command;

import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.UnstoredResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * The calls of the lease protocol, as bytes: which script, on which keys, with which arguments. <em>Immutable.</em>
 *
 * @param keys names the Redis keys
 * @param tell the command by which those who wait are told
 */
public record ScriptCalls(RedisKeys keys, byte[] tell) {
    private static final byte[] NONE = {};
    private static final byte[] REMOVE = text("remove");

    public ScriptCall lease(LeaseRequest request, Duration ttl) {
        LeaseToken seen = request.seen();
        return new ScriptCall(
                Scripts.LEASE,
                both(request.key()),
                List.of(request.token().toBytes(), seen == null ? NONE : seen.toBytes(), millis(ttl)));
    }

    public ScriptCall renew(HeldLease lease, Duration ttl) {
        return new ScriptCall(
                Scripts.RENEW, leaseOnly(lease), List.of(lease.token().toBytes(), millis(ttl)));
    }

    public ScriptCall publish(HeldLease lease, byte[] entry, Duration ttl) {
        return new ScriptCall(
                Scripts.PUBLISH, both(lease.key()), List.of(lease.token().toBytes(), entry, millis(ttl), tell));
    }

    public ScriptCall extend(HeldLease lease, LeaseToken seen, byte[] head, Duration ttl) {
        return new ScriptCall(
                Scripts.EXTEND,
                both(lease.key()),
                List.of(lease.token().toBytes(), seen.toBytes(), head, millis(ttl), tell));
    }

    public ScriptCall abandon(HeldLease lease) {
        return new ScriptCall(
                Scripts.ABANDON, leaseOnly(lease), List.of(lease.token().toBytes(), tell));
    }

    /** As {@link #abandon}, but nobody is told. */
    public ScriptCall withdraw(HeldLease lease) {
        return new ScriptCall(
                Scripts.ABANDON, leaseOnly(lease), List.of(lease.token().toBytes(), NONE));
    }

    public ScriptCall fail(HeldLease lease, FailedLoad failed) {
        return new ScriptCall(
                Scripts.FAIL,
                leaseOnly(lease),
                List.of(
                        lease.token().toBytes(),
                        text(Integer.toString(failed.inARow())),
                        millis(failed.coolDown()),
                        millis(failed.remembered()),
                        millis(failed.coolDown().plus(failed.remembered())),
                        failed.failure(),
                        tell));
    }

    public ScriptCall pass(HeldLease lease, UnstoredResult result) {
        byte[] entry = result.entry();
        return new ScriptCall(
                Scripts.PASS,
                both(lease.key()),
                List.of(
                        lease.token().toBytes(),
                        millis(result.notCacheable()),
                        result.removesEntry() ? REMOVE : NONE,
                        entry == null ? NONE : entry,
                        tell));
    }

    public ScriptCall put(String key, byte[] entry, Duration ttl) {
        return new ScriptCall(Scripts.PUT, both(key), List.of(entry, millis(ttl), tell, changesOf(key)));
    }

    public ScriptCall invalidate(String key) {
        return new ScriptCall(Scripts.INVALIDATE, both(key), List.of(tell, changesOf(key)));
    }

    public ScriptCall expire(String key, int offset, byte[] mark) {
        return new ScriptCall(
                Scripts.EXPIRE, both(key), List.of(text(Integer.toString(offset)), mark, tell, changesOf(key)));
    }

    /** Reads the answer of those that say whether they did it. */
    public static boolean isDone(Object answer) {
        return Long.valueOf(1).equals(answer);
    }

    /** The channel on which those are told who keep copies. */
    private byte[] changesOf(String key) {
        return keys.changes(RedisKeys.cacheOf(key));
    }

    private List<byte[]> both(String key) {
        return List.of(keys.value(key), keys.lease(key));
    }

    private List<byte[]> leaseOnly(HeldLease lease) {
        return List.of(keys.lease(lease.key()));
    }

    private static byte[] millis(Duration ttl) {
        return text(Long.toString(ttl.toMillis()));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
