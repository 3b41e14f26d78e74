package io.stampedeguard.redis.internal.connect;

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
 * The check of the server's version and eviction policy, by one {@code INFO}. If the server does not answer it, for instance
 * because the user lacks the permission, nothing is checked. On a cluster, one master is asked. <em>Thread-safe.</em>
 */
public final class ServerCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final String where;
    private final AtomicBoolean over = new AtomicBoolean();

    public ServerCheck(String where) {
        this.where = where;
    }

    /**
     * Checks now, and logs a warning if the eviction policy is harmful.
     *
     * @param server sends a command to the server
     * @return why the server cannot be used, {@code null} if it can
     * @throws io.stampedeguard.store.StoreException if it does not answer
     */
    @Nullable
    public String complaint(Function<CommandArguments, Object> server) {
        String info;
        try {
            info = info(server);
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("ask for the version", where, failure);
        }
        over.set(true);
        ServerVersion version = ServerVersion.in(info);
        if (version != null && version.isTooOld()) {
            return version.complaint(where);
        }
        EvictionPolicy eviction = EvictionPolicy.in(info);
        if (eviction != null && eviction.isHarmful()) {
            LOG.warn("{}", eviction.advice(where));
        }
        return null;
    }

    /** Logs warnings about the server, on the first call only; to be called after it has answered another command. */
    public void warnOnce(Function<CommandArguments, Object> server) {
        if (over.get() || !over.compareAndSet(false, true)) {
            return;
        }
        try {
            String complaint = complaint(server);
            if (complaint != null) {
                LOG.warn("Unsupported Redis version: {}", complaint);
            }
        } catch (RuntimeException untold) {
            LOG.debug("Could not determine the version of the server{}", where, untold);
        }
    }

    /** Returns all sections, since Redis 6.2 accepts only one as an argument; empty if refused. */
    private String info(Function<CommandArguments, Object> server) {
        try {
            Object answer = server.apply(new CommandArguments(Protocol.Command.INFO));
            return answer instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
        } catch (JedisDataException refused) {
            LOG.debug("The server{} does not answer INFO", where, refused);
            return "";
        }
    }
}
