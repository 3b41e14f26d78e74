package io.stampedeguard.redis;

import io.stampedeguard.store.StoreException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Sends commands. One whose connection turns out to be broken, as it does when it died while idle, is sent once more
 * on another connection; a timeout is not, as it would be paid twice. So each command must bear being carried out
 * twice by the same caller:
 *
 * <ul>
 *   <li>reading, invalidating and marking as stale do by nature;
 *   <li>a lease is granted again to the token that has it, though without the number of failures that it replaced;
 *   <li>renewing twice is renewing;
 *   <li>publishing is told that it is sent again, and recognises its own entry;
 *   <li>giving a lease back twice, after a failure or not, changes nothing, only the answer;
 *   <li>putting twice is a put that took effect late, but still within its call.
 * </ul>
 *
 * <p>What fails in the end is a {@link StoreException}, also where Jedis stumbles over an answer that makes no sense.
 * <em>Thread-safe.</em>
 */
final class Commands {
    private static final byte[] NEITHER = {};

    private final UnifiedJedis client;
    private final String where;
    private final Runnable onBroken;

    /**
     * Makes the commands of a client.
     *
     * @param where what a message says about the place, empty if that is not known
     * @param onBroken called before a command is sent again
     */
    Commands(UnifiedJedis client, String where, Runnable onBroken) {
        this.client = client;
        this.where = where;
        this.onBroken = onBroken;
    }

    String where() {
        return where;
    }

    /** One step, which learns whether it is sent for the second time. */
    interface Step<T extends @Nullable Object> {
        T send(UnifiedJedis client, Sending sending);
    }

    /** Which time a command is sent. */
    enum Sending {
        FIRST,
        AGAIN
    }

    byte @Nullable [] read(String key, byte[] redisKey) {
        try {
            return client.get(redisKey);
        } catch (RuntimeException failure) {
            return readAgain(key, redisKey, failure);
        }
    }

    private byte @Nullable [] readAgain(String key, byte[] redisKey, RuntimeException first) {
        try {
            return sendAgain((jedis, sending) -> jedis.get(redisKey), first);
        } catch (RuntimeException failure) {
            if (isWrongType(failure)) {
                return NEITHER;
            }
            throw RedisFailure.toStoreException("read", key, where, failure);
        }
    }

    private static boolean isWrongType(RuntimeException failure) {
        return failure instanceof JedisDataException
                && String.valueOf(failure.getMessage()).startsWith("WRONGTYPE");
    }

    <T> T change(String notDone, String key, Step<T> step) {
        try {
            return send(step);
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, key, where, failure);
        }
    }

    <T> T changeMany(String notDone, Step<T> step) {
        try {
            return send(step);
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, where, failure);
        }
    }

    /** Asks for the clock of the server; of a cluster, any of its members answers. */
    RedisTime time() {
        try {
            return send((jedis, sending) ->
                    RedisTime.in((List<?>) jedis.executeCommand(new CommandArguments(Protocol.Command.TIME))));
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("ask for the time", where, failure);
        }
    }

    private <T> T send(Step<T> step) {
        try {
            return step.send(client, Sending.FIRST);
        } catch (RuntimeException failure) {
            return sendAgain(step, failure);
        }
    }

    /** Sends once more what failed on a broken connection; any other failure stays what it is. */
    private <T extends @Nullable Object> T sendAgain(Step<T> step, RuntimeException first) {
        if (!RedisFailure.brokenAtOnce(first)) {
            throw first;
        }
        onBroken.run();
        return step.send(client, Sending.AGAIN);
    }
}
