package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.command.StoreOnRedis;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.JedisVersion;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.redis.internal.subscribe.InvalidationFeed;
import io.stampedeguard.redis.internal.subscribe.RedisNotices;
import io.stampedeguard.redis.internal.subscribe.Servers;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/**
 * The shared store on Redis 6.2 or later. A hit is one plain read, for many keys as well, or for the keys of
 * many concurrent callers. Each change is one Lua script, which also notifies near caches; an uncontended lease is taken by plain
 * commands. Changes of many keys take one round trip, on a cluster too. For the key {@code products:42} it uses the Redis keys {@code
 * {products:42}} and {@code {products:42}:lease}, for its cache {@code {products:}:gen}, and with {@code originBudget} {@code
 * {products:}:members}.
 *
 * <p>A command whose connection broke while it was idle is sent a second time, except a request for a lease, which the cache repeats.
 * A command that timed out is not sent again, so a stalled server costs one timeout. While a cluster moves a slot, changes of its keys wait for up to half a second.
 *
 * <p>Callers that wait for another process are notified by pub/sub, on a channel with the name of the lease. This takes one
 * more connection while callers wait, and for half a minute after that. On Redis Cluster it takes one to each master with such
 * a channel; the channels are sharded if the server is Redis 7 or later. If a user has no permission for these channels,
 * everything else works, and waiting callers poll instead.
 *
 * <p>Near caches are notified of changes on one more connection while they are in use, on Redis Cluster one to each master. All of
 * these are opened in addition to the connections of a client that was passed to {@link #using}.
 *
 * <p>A circuit breaker, one for each master of a cluster, opens when the server does not answer, or is slow: {@link
 * RedisStoreBuilder#commandTimeout}. While it is open, requests fail at once, except {@link #ping} and, on a single
 * server, renewals of leases.
 *
 * <p><em>Thread-safe.</em> Each method blocks for as long as the client's timeouts allow.
 */
@SuppressWarnings("exports") // what the verbs take and return is the business of the cache and its stores
public final class RedisStore implements CacheStore, AutoCloseable {
    private final StoreOnRedis shared;
    private final AutoCloseable owned;
    private final @Nullable RedisNotices notices;
    private final @Nullable InvalidationFeed changes;

    RedisStore(
            Commands commands,
            RedisKeys keys,
            TimeSource time,
            AutoCloseable owned,
            @Nullable Servers servers,
            @Nullable InvalidationFeed changes) {
        RedisNotices opened = servers == null
                ? null
                : new RedisNotices(
                        servers, time, RedisNotices.IDLE, new BackgroundThreads("stampedeguard-redis-notices", time));
        LeaseNotifications ends = opened == null ? null : (key, listener) -> opened.watch(keys.lease(key), listener);
        this.shared =
                new StoreOnRedis(commands, keys, publishCommand(servers), time, commands.breakers(), changes, ends);
        this.owned = owned;
        this.notices = opened;
        this.changes = changes;
    }

    private static byte[] publishCommand(@Nullable Servers servers) {
        String command = servers != null && servers.isSharded() ? "SPUBLISH" : "PUBLISH";
        return command.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Creates a store on a client of the caller: any {@code UnifiedJedis}, for a single server, Sentinel, or Cluster. The caller
     * sets its timeouts and its pool, and closes it. The pool needs a {@code maxWait}, which Jedis does not set: a {@code get}
     * that finds all connections in use retries until its {@code waitTimeout} is over, and may exceed it by one {@code maxWait}.
     * The {@code socketTimeoutMillis} and {@code connectionTimeoutMillis} must not be 0, which means without a limit: a stalled
     * server would block {@code get} for ever. A {@code ConnectionProvider} or connection factory of the application's own is not
     * checked.
     *
     * <p>If a connection turns out to be broken, the other idle connections to its server are closed as well.
     *
     * <p>With commons-pool2 2.13, a stalled server costs such a client each timeout twice (POOL-431); use 2.12, or {@link
     * #connect(String)}, which has a pool that is not affected. A {@code RedisClusterClient} sends
     * a command up to {@code maxAttempts} times and waits in between. While a master is being replaced, a {@code get} may spend
     * its {@code maxTotalRetriesDuration} (default 10 s) once on reading and once on the lease before it loads without one; set
     * it to a second.
     *
     * <p>A {@code CommandKeyArgumentPreProcessor} of the client is not applied; use the key prefix of the options.
     *
     * <p>Sends nothing. After a first change, the server is queried once in the background, by {@code INFO}, for its version and
     * eviction policy. If it is too old, or the policy evicts leases, the log contains a warning.
     *
     * <pre>{@code
     * ConnectionPoolConfig pool = new ConnectionPoolConfig();
     * pool.setMaxTotal(64);
     * pool.setMaxIdle(64);
     * pool.setMaxWait(Duration.ofMillis(500));
     * RedisClient client = RedisClient.builder().hostAndPort("localhost", 6379).poolConfig(pool).build();
     * RedisStore store = RedisStore.using(client);
     * }</pre>
     *
     * @param client the client, which is not closed by this store
     * @return a new store
     * @throws IllegalArgumentException if the client's pool has no {@code maxWait}, a timeout of the client is 0, or the client has
     *     client-side caching or several databases
     * @throws IllegalStateException if Jedis is older than 6.0, or hides the connections of its clients
     */
    public static RedisStore using(UnifiedJedis client) {
        return using(client, RedisStoreOptions.defaults());
    }

    /**
     * Creates a store on a client of the caller, like {@link #using(UnifiedJedis)}.
     *
     * @param client the client, which is not closed by this store
     * @param options of which only the key prefix applies, and what follows from the {@code commandTimeout}, since the client exists
     *     already
     * @return a new store
     * @throws IllegalArgumentException as {@link #using(UnifiedJedis)}, or if the options have credentials or TLS
     * @throws IllegalStateException as {@link #using(UnifiedJedis)}
     */
    public static RedisStore using(UnifiedJedis client, RedisStoreOptions options) {
        return using(client, options, TimeSource.system());
    }

    static RedisStore using(UnifiedJedis client, RedisStoreOptions options, TimeSource time) {
        requireNonNull(client, "client");
        JedisVersion.check();
        return StoreAssembly.using(client, options, time);
    }

    /** {@return a new builder of a store, with the default options} */
    public static RedisStoreBuilder builder() {
        return RedisStoreOptions.builder();
    }

    /**
     * Connects with the default options, like {@link #connect(String, RedisStoreOptions)}, to what the URI names:
     *
     * <ul>
     *   <li>{@code redis://[user:password@]host[:port][/database]}, a server;
     *   <li>{@code redis-sentinel://[user:password@]host[:port][,host[:port]...]/master[/database]}, the master that these Sentinels
     *       name, by default at port 26379;
     *   <li>{@code redis-cluster://[user:password@]host[:port][,host[:port]...]}, a cluster with these members. It is enough to name
     *       some of them, or an address that leads to some.
     * </ul>
     *
     * <p>With {@code rediss} instead of {@code redis}, all connections use TLS.
     *
     * @param uri in one of these forms; special characters in user, password, and master are percent-encoded
     * @return a new store, to be closed
     * @throws IllegalArgumentException if the URI is malformed; the message does not repeat user or password
     * @throws IllegalStateException if the server reports a version below 6.2, or Jedis is older than 6.0
     * @throws io.stampedeguard.loader.StoreException if the server answers and refuses, for instance the credentials
     */
    public static RedisStore connect(String uri) {
        return connect(uri, RedisStoreOptions.defaults());
    }

    /**
     * Connects to Redis, with a bounded pool of connections. If the server does not answer, the log contains a warning, and
     * the store works as soon as it does; see {@link RedisStoreBuilder#failFast}. The server is queried for its version
     * and eviction policy by {@code INFO}, unless the user may not send it. A policy that evicts leases causes a warning, as do
     * permissions that the user lacks, which Redis tells since version 7. Blocks for a few round trips, or one timeout.
     *
     * @param uri in a form of {@link #connect(String)}
     * @param options timeouts, pool, credentials, TLS, key prefix
     * @return a new store, to be closed
     * @throws IllegalArgumentException if the URI is malformed, or does not fit the options, as without {@code rediss} if they configure
     *     TLS; the message does not repeat user or password
     * @throws IllegalStateException if the server reports a version below 6.2, or Jedis is older than 6.0
     * @throws io.stampedeguard.loader.StoreException if the server answers and refuses, for instance the credentials; with
     *     {@code failFast}, also if it does not answer; with Sentinel or Cluster, also if no server of the URI does
     */
    public static RedisStore connect(String uri, RedisStoreOptions options) {
        JedisVersion.check();
        return StoreAssembly.connect(RedisUri.parse(uri), options);
    }

    @Override
    public SharedStore shared() {
        return shared;
    }

    /**
     * {@return the duration of a round trip to the server; on a cluster, to any of its members} Waits for a connection first, for
     * up to twice the {@code commandTimeout}, which does not count.
     *
     * @throws io.stampedeguard.loader.StoreException if it does not answer, or refuses
     */
    public Duration ping() {
        return shared.commands().ping();
    }

    /** {@return whether the server answers, as far as is known from earlier commands; of a cluster, each master} Sends nothing. */
    public boolean isAnswering() {
        Breakers breakers = shared.commands().breakers();
        return breakers == null || breakers.breaker() == BreakerState.CLOSED;
    }

    StoreOnRedis onRedis() {
        return shared;
    }

    /** Returns where the server is, if known, whether it answers, and how many connections are in use. Sends nothing. */
    @Override
    public String toString() {
        return "RedisStore{" + shared.commands() + "}";
    }

    /**
     * Ends all watches, and the probes of the circuit breaker. Closes the client if {@link #connect(String)} created it; later calls
     * then fail.
     *
     * @throws IllegalStateException if the connections could not be closed; all else has ended
     */
    @Override
    public void close() {
        boolean isInterrupted = Thread.interrupted(); // some pools clear it when they end
        try {
            closeAll();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeAll() {
        shared.commands().close();
        if (notices != null) {
            notices.close();
        }
        if (changes != null) {
            changes.close();
        }
        try {
            owned.close();
        } catch (Exception e) {
            throw new IllegalStateException("could not close the connections to Redis", e);
        }
    }
}
