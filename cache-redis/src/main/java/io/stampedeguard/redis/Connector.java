package io.stampedeguard.redis;

import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Builds a client as it should be, and the store on it:
 *
 * <ol>
 *   <li>the protocol is named, as finding it out would cost a hung server's timeout;
 *   <li>every way to wait has an end;
 *   <li>one command asks whether the server is there, another one for its version; if it refuses or is too old, so does
 *       the store;
 *   <li>then the pool is filled: callers that all meet an empty one would queue up behind its making connections.
 * </ol>
 */
final class Connector {
    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private Connector() {}

    static RedisStore connect(RedisUri uri, RedisStoreOptions options) {
        if (options.sslContext() != null && !uri.tls()) {
            throw new IllegalArgumentException("the options have a TLS context, but the URI is not rediss://");
        }
        JedisClientConfig config = clientConfig(uri, options, "");
        Connections connections = new Connections(uri.address(), config, options);
        RedisClient client = RedisClient.builder()
                .hostAndPort(uri.address())
                .clientConfig(config)
                .connectionProvider(connections)
                .build();
        Commands commands = new Commands(client, " at " + uri.address(), connections::dropIdle, TimeSource.system());
        JedisClientConfig forNotices = clientConfig(uri, options, "-notices");
        NoticeServers servers = new OneServer(() -> new Connection(uri.address(), forNotices));
        JedisClientConfig forChanges = clientConfig(uri, options, "-changes");
        RedisKeys keys = new RedisKeys(options.keyPrefix());
        RedisChanges changes = RedisChanges.of(
                new SingleServer(() -> new Connection(uri.address(), forChanges)), options.changeFeed(), keys);
        RedisStore store =
                new RedisStore(commands, keys, TimeSource.system(), client, servers, changes, connections::shortage);
        try {
            store.learnTime();
            refuseIfOld(commands, client);
            connections.fill();
        } catch (StoreException unanswered) {
            warnOrRefuse(unanswered, client);
        }
        return store;
    }

    private static void refuseIfOld(Commands commands, RedisClient client) {
        String complaint = commands.versionComplaint();
        if (complaint != null) {
            client.close();
            throw new IllegalStateException(complaint);
        }
    }

    private static void warnOrRefuse(StoreException unanswered, RedisClient client) {
        if (refused(unanswered)) {
            client.close();
            throw RedisFailure.isOfUnknownHandshake(unanswered) ? explained(unanswered) : unanswered;
        }
        LOG.warn("Redis does not answer, the cache goes on without it until it does: {}", unanswered.getMessage());
    }

    /** Such a server cannot be asked for its version: it is old, or was told to forget the command. */
    private static StoreException explained(StoreException refused) {
        return new StoreException(
                refused.getMessage() + "; Redis has it since 6.0, and " + ServerVersion.NEEDED, refused);
    }

    /** Still loading, or a replica without its master, are states that pass; a refusal stays until somebody acts. */
    private static boolean refused(StoreException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof JedisDataException) {
                String message = String.valueOf(at.getMessage());
                return !message.startsWith("LOADING")
                        && !message.startsWith("MASTERDOWN")
                        && !message.startsWith("BUSY");
            }
        }
        return false;
    }

    private static JedisClientConfig clientConfig(RedisUri uri, RedisStoreOptions options, String nameSuffix) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .protocol(options.protocol())
                .connectionTimeoutMillis((int) options.connectTimeout().toMillis())
                .socketTimeoutMillis((int) options.commandTimeout().toMillis())
                .blockingSocketTimeoutMillis((int) options.commandTimeout().toMillis())
                .user(uri.user())
                .password(uri.password())
                .database(uri.database())
                .clientName(options.clientName() == null ? null : options.clientName() + nameSuffix);
        if (uri.tls()) {
            speakTls(config, options);
        }
        return config.build();
    }

    /** What Jedis has in the place of these methods takes key stores only, not a context. */
    @SuppressWarnings("deprecation")
    private static void speakTls(DefaultJedisClientConfig.Builder config, RedisStoreOptions options) {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm(options.verifiesHostname() ? "HTTPS" : "");
        config.ssl(true).sslParameters(parameters).sslSocketFactory(new TlsSockets(options.sslContext(), parameters));
    }
}
