package io.stampedeguard.redis;

import io.stampedeguard.store.HeldLease;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.util.IOUtils;

/**
 * Renews leases:
 *
 * <ol>
 *   <li>one lease is one call of {@code renew.lua};
 *   <li>several go through a pipeline: one round trip, or one to each node of a cluster;
 *   <li>what comes back because the server does not know the script, or the slot has moved, is sent again by itself; so is
 *       what has no answer, as the pipeline of a cluster does not tell of connections that were broken.
 * </ol>
 *
 * <p><em>Immutable.</em>
 */
record LeaseRenewal(RedisKeys keys, byte[] ttlMillis) {
    /** Tells which leases are no longer their tokens'. */
    Set<HeldLease> send(UnifiedJedis client, Collection<HeldLease> leases) {
        return leases.size() == 1 ? one(client, leases.iterator().next()) : many(client, leases);
    }

    private Set<HeldLease> one(UnifiedJedis client, HeldLease lease) {
        return isKept(alone(client, lease)) ? Set.of() : Set.of(lease);
    }

    private Set<HeldLease> many(UnifiedJedis client, Collection<HeldLease> leases) {
        Map<HeldLease, Response<Object>> answers = answers(client.pipelined(), leases);
        Set<HeldLease> lost = new HashSet<>();
        answers.forEach((lease, answer) -> {
            if (!isKept(answer(client, lease, answer))) {
                lost.add(lease);
            }
        });
        return lost;
    }

    private Map<HeldLease, Response<Object>> answers(AbstractPipeline pipeline, Collection<HeldLease> leases) {
        Map<HeldLease, Response<Object>> answers = new HashMap<>();
        try {
            leases.forEach(lease -> answers.put(lease, Scripts.RENEW.queue(pipeline, keys(lease), arguments(lease))));
            pipeline.sync();
            return answers;
        } finally {
            // What fails once fails again in closing; told of both, nobody would send again.
            IOUtils.closeQuietly(pipeline);
        }
    }

    private Object answer(UnifiedJedis client, HeldLease lease, Response<Object> answer) {
        try {
            return answer.get();
        } catch (JedisNoScriptException | JedisRedirectionException | IllegalStateException notCarriedOut) {
            return alone(client, lease);
        }
    }

    private Object alone(UnifiedJedis client, HeldLease lease) {
        return Scripts.RENEW.run(client, keys(lease), arguments(lease));
    }

    private List<byte[]> keys(HeldLease lease) {
        return List.of(keys.lease(lease.key()));
    }

    private List<byte[]> arguments(HeldLease lease) {
        return List.of(lease.token().toBytes(), ttlMillis);
    }

    private static boolean isKept(Object answer) {
        return Long.valueOf(1).equals(answer);
    }
}
