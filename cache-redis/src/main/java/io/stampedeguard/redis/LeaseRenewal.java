package io.stampedeguard.redis;

import io.stampedeguard.store.HeldLease;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.util.IOUtils;

/**
 * Renews leases:
 *
 * <ol>
 *   <li>one lease is one call of {@code renew.lua};
 *   <li>several go through a pipeline: one round trip, or one to each node of a cluster;
 *   <li>what has no answer goes through another pipeline: that of a cluster does not tell of connections that were broken,
 *       and may not even have sent to the other nodes;
 *   <li>what comes back because the server does not know the script, or the slot has moved, is sent again by itself; and
 *       last of all, what still has no answer.
 * </ol>
 *
 * <p><em>Immutable.</em>
 */
record LeaseRenewal(RedisKeys keys, byte[] ttlMillis) {
    private static final int MOST_ROUNDS = 3;

    /** Tells which leases are no longer their tokens'. */
    Set<HeldLease> send(UnifiedJedis client, Collection<HeldLease> leases) {
        return leases.size() == 1 ? one(client, leases.iterator().next()) : many(client, leases);
    }

    private Set<HeldLease> one(UnifiedJedis client, HeldLease lease) {
        return isKept(alone(client, lease)) ? Set.of() : Set.of(lease);
    }

    private Set<HeldLease> many(UnifiedJedis client, Collection<HeldLease> leases) {
        Map<HeldLease, Response<Object>> answers = new HashMap<>();
        Collection<HeldLease> unanswered = leases;
        for (int round = 0; round < MOST_ROUNDS && !unanswered.isEmpty(); round++) {
            answers.putAll(answers(client.pipelined(), unanswered));
            unanswered = unansweredIn(answers);
        }
        Set<HeldLease> lost = new HashSet<>();
        unanswered.forEach(answers::remove); // they come last: the first that fails again ends all
        answers.forEach((lease, answer) -> noteIfLost(lease, answer(client, lease, answer), lost));
        unanswered.forEach(lease -> noteIfLost(lease, alone(client, lease), lost));
        return lost;
    }

    private static void noteIfLost(HeldLease lease, Object answer, Set<HeldLease> lost) {
        if (!isKept(answer)) {
            lost.add(lease);
        }
    }

    /** Where one connection is broken, the pipeline of a cluster may not even send to the others: then once more. */
    private static Collection<HeldLease> unansweredIn(Map<HeldLease, Response<Object>> answers) {
        return answers.entrySet().stream()
                .filter(answer -> !isThere(answer.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean isThere(Response<Object> answer) {
        try {
            answer.get();
            return true;
        } catch (IllegalStateException unanswered) {
            return false;
        } catch (JedisException refused) {
            return true;
        }
    }

    private Map<HeldLease, Response<Object>> answers(AbstractPipeline pipeline, Collection<HeldLease> leases) {
        Map<HeldLease, Response<Object>> answers = new HashMap<>();
        try {
            leases.forEach(lease -> answers.put(lease, queued(pipeline, lease)));
            pipeline.sync();
            return answers;
        } finally {
            // What fails once fails again in closing; told of both, nobody would send again.
            IOUtils.closeQuietly(pipeline);
        }
    }

    /** Tells of an answer that never comes, if the lease's node cannot be reached: those of other nodes are to be sent. */
    private Response<Object> queued(AbstractPipeline pipeline, HeldLease lease) {
        try {
            return Scripts.RENEW.queue(pipeline, keys(lease), arguments(lease));
        } catch (JedisException unreachable) {
            return new Response<>(BuilderFactory.RAW_OBJECT);
        }
    }

    private Object answer(UnifiedJedis client, HeldLease lease, Response<Object> answer) {
        try {
            return answer.get();
        } catch (JedisNoScriptException | JedisRedirectionException notCarriedOut) {
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
