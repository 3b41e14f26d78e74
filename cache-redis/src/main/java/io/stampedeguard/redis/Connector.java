package io.stampedeguard.redis;

import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/**
 * Builds a client as it should be, and the store on it:
 *
 * <ol>
 *   <li>the protocol is named, as finding it out would cost a hung server's timeout;
 *   <li>every way to wait has an end;
 *   <li>connections are made when they are needed, up to the bound that {@link ConnectionPermits} keeps, and closed when they
 *       have not been used for a minute, but for the last four;
 *   <li>one command asks whether the server is there, another one for its version; if it refuses or is too old, so does
 *       the store.
 * </ol>
 */
final class Connector {
    private static final Duration CHECK_IDLE_EACH = Duration.ofSeconds(30);
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);
    private static final int LEAST_KEPT = 4;
    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private Connector() {}

    static RedisStore connect(RedisUri uri, RedisStoreOptions options) {
        if (options.sslContext() != null && !uri.tls()) {
            throw new IllegalArgumentException("the options have a TLS context, but the URI is not rediss://");
        }
        TimeSource time = TimeSource.system();
        PooledConnectionProvider connections =
                new PooledConnectionProvider(uri.address(), clientConfig(uri, options, ""), poolConfig(options));
        UnifiedJedis client = new OwnClient(connections, options.protocol());
        Commands commands = new Commands(
                client,
                ClientConnections.own(connections),
                Turn.of(options.borrowTimeout()),
                " at " + uri.address(),
                connections.getPool()::clear,
                time);
        JedisClientConfig forNotices = clientConfig(uri, options, "-notices");
        NoticeServers servers = new OneServer(() -> new Connection(uri.address(), forNotices));
        JedisClientConfig forChanges = clientConfig(uri, options, "-changes");
        RedisKeys keys = new RedisKeys(options.keyPrefix());
        RedisChanges changes = RedisChanges.of(
                new SingleServer(() -> new Connection(uri.address(), forChanges)), options.changeFeed(), keys);
        RedisStore store = new RedisStore(commands, keys, time, client, servers, changes);
        try {
            store.learnTime();
            refuseIfOld(commands);
        } catch (StoreException failure) {
            warnOrThrow(failure, uri, options, store);
        } catch (IllegalStateException tooOld) {
            store.close();
            throw tooOld;
        }
        return store;
    }

    private static void refuseIfOld(Commands commands) {
        String complaint = commands.serverComplaint();
        if (complaint != null) {
            throw new IllegalStateException(complaint);
        }
    }

    private static void warnOrThrow(StoreException failure, RedisUri uri, RedisStoreOptions options, RedisStore store) {
        StoreException explained = ConnectFailure.explained(failure, uri);
        if (options.failFast() || ConnectFailure.isRefusal(failure)) {
            store.close();
            throw explained;
        }
        LOG.warn("{}; the cache works without Redis until it answers", explained.getMessage());
    }

    private static GenericObjectPoolConfig<Connection> poolConfig(RedisStoreOptions options) {
        GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(options.maxConnections());
        config.setMaxIdle(options.maxConnections());
        config.setMinIdle(Math.min(LEAST_KEPT, options.maxConnections()));
        config.setMaxWait(options.borrowTimeout());
        config.setJmxEnabled(false);
        // Idle connections are tested, so that one that has died is replaced before somebody needs it.
        config.setTestWhileIdle(true);
        config.setTimeBetweenEvictionRuns(CHECK_IDLE_EACH);
        config.setNumTestsPerEvictionRun(-1);
        config.setMinEvictableIdleDuration(Duration.ofMillis(-1));
        config.setSoftMinEvictableIdleDuration(LONGEST_IDLE);
        return config;
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
