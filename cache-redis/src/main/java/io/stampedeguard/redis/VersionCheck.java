package io.stampedeguard.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Asks for the version of the server, once. One that does not tell it, for instance because the user may not ask, is
 * taken as it is. <em>Thread-safe.</em>
 */
final class VersionCheck {
    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private final String where;
    private final AtomicBoolean over = new AtomicBoolean();

    VersionCheck(String where) {
        this.where = where;
    }

    /**
     * Asks now.
     *
     * @param server asks the server
     * @return what is wrong with the server, or {@code null}
     * @throws io.stampedeguard.store.StoreException if it does not answer
     */
    @Nullable
    String complaint(Function<CommandArguments, Object> server) {
        try {
            ServerVersion version = version(server);
            over.set(true);
            return version != null && version.isTooOld() ? version.complaint(where) : null;
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("ask for the version", where, failure);
        }
    }

    /** To be called when the server has answered something else: warns if it is too old, on the first call only. */
    void warnOnce(Function<CommandArguments, Object> server) {
        if (over.get() || !over.compareAndSet(false, true)) {
            return;
        }
        try {
            String complaint = complaint(server);
            if (complaint != null) {
                LOG.warn("What is stored may go wrong: {}", complaint);
            }
        } catch (RuntimeException untold) {
            LOG.debug("The version of the server{} remains unknown", where, untold);
        }
    }

    private @Nullable ServerVersion version(Function<CommandArguments, Object> server) {
        try {
            Object answer = server.apply(new CommandArguments(Protocol.Command.INFO).add("server"));
            return answer instanceof byte[] text ? ServerVersion.in(new String(text, StandardCharsets.UTF_8)) : null;
        } catch (JedisDataException refused) {
            LOG.debug("The server{} does not tell its version", where, refused);
            return null;
        }
    }
}
