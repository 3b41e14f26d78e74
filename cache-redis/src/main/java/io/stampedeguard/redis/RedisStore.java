package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.store.Changes;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.Notices;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/**
 * The shared store on Redis 6.2 or later. A hit is one plain {@code GET}; each change is one Lua script. For the key
 * {@code products:42} it uses the Redis keys {@code {products:42}} and {@code {products:42}:lease}.
 *
 * <p>A command whose connection was broken while it lay idle is sent once more; a timeout is not, so a stalled server
 * costs one. While a cluster moves a slot, changes of its keys wait for up to half a second.
 *
 * <p>Those who wait for another process are told by publish and subscribe, on a channel named like the lease. That takes
 * one connection more while somebody waits, and for half a minute after; on Redis Cluster one to each master that is
 * listened to, where the channels are sharded ones if the server is Redis 7 or later. A user who may not publish to or
 * subscribe to these channels can do everything else, and those who wait ask instead.
 *
 * <p><em>Thread-safe</em>; each method blocks for as long as the client's timeouts allow, but for {@link #watch}, which
 * does not wait for an answer.
 */
public final class RedisStore implements SharedStore, Notices, Changes, AutoCloseable {
    private static final byte[] NONE = {};

    private final RedisKeys keys;
    private final Commands commands;
    private final TimeSource time;
    private final StoreClock clock;
    private final AutoCloseable owned;
    private final byte[] tell;
    private final @Nullable RedisNotices notices;
    private final @Nullable RedisChanges changes;

    RedisStore(
            Commands commands,
            RedisKeys keys,
            TimeSource time,
            AutoCloseable owned,
            @Nullable NoticeServers servers,
            @Nullable RedisChanges changes) {
        this.keys = keys;
        this.commands = commands;
        this.time = time;
        this.clock = new StoreClock(time, commands::time);
        this.owned = owned;
        this.tell = text(servers != null && servers.isSharded() ? "SPUBLISH" : "PUBLISH");
        this.notices = servers == null ? null : new RedisNotices(servers, time, RedisNotices.IDLE);
        this.changes = changes;
    }

    /**
     * Makes a store on a client of the caller's: any {@code UnifiedJedis}, for a single server, Sentinel or Cluster. Its
     * timeouts, its pool and its end are the caller's affair: see that the pool's {@code maxWait} is finite and that it
     * runs on commons-pool2 before 2.13, with which a stalled server costs each timeout twice (POOL-431). A {@code
     * RedisClusterClient} sends a command up to {@code maxAttempts} times and waits in between; while a master is being
     * replaced, a {@code get} may spend its {@code maxTotalRetriesDuration} once on reading and once on the lease, before
     * it loads without one: a second is plenty, the default is ten.
     *
     * <p>Sends nothing. When the server has carried out a first change it is asked for its version, once, and if it is
     * too old that is a warning in the log.
     *
     * @param client the client, which is not closed by this store
     * @return a new store
     */
    public static RedisStore using(UnifiedJedis client) {
        return using(client, RedisStoreOptions.defaults());
    }

    /**
     * Makes a store on a client of the caller's, as {@link #using(UnifiedJedis)} does.
     *
     * @param client the client, which is not closed by this store
     * @param options of which only the key prefix and the feed of changes matter here, since the client is there already
     * @return a new store
     */
    public static RedisStore using(UnifiedJedis client, RedisStoreOptions options) {
        requireNonNull(client, "client");
        Commands commands = new Commands(client, "", () -> {}, TimeSource.system());
        RedisKeys keys = new RedisKeys(options.keyPrefix());
        RedisChanges changes = RedisChanges.of(ChangeServers.of(client, keys), options.changeFeed(), keys);
        return new RedisStore(commands, keys, TimeSource.system(), () -> {}, NoticeServers.of(client), changes);
    }

    /**
     * Connects to a server with the default options, as {@link #connect(String, RedisStoreOptions)} does.
     *
     * @param uri {@code redis[s]://[user:password@]host[:port][/database]}
     * @return a new store, to be closed
     * @throws IllegalArgumentException if the URI is malformed; the message does not repeat it
     * @throws IllegalStateException if the server says that it is older than 6.2; the message names address and version
     * @throws io.stampedeguard.store.StoreException if the server answers and refuses, for instance the credentials
     */
    public static RedisStore connect(String uri) {
        return connect(uri, RedisStoreOptions.defaults());
    }

    /**
     * Connects to a server, with a bounded pool of connections that is filled at once. A server that does not answer is
     * a warning in the log: the store works as soon as it does. One that does not tell its version (its user may not ask)
     * is taken as it is. Blocks for a few round trips, or one timeout.
     *
     * @param uri {@code redis[s]://[user:password@]host[:port][/database]}; {@code rediss} is TLS; special characters in
     *     user and password are percent-encoded
     * @param options timeouts, pool, TLS, key prefix
     * @return a new store, to be closed
     * @throws IllegalArgumentException if the URI is malformed, or it is not {@code rediss} though the options speak of
     *     TLS; the message does not repeat it
     * @throws IllegalStateException if the server says that it is older than 6.2; the message names address and version
     * @throws io.stampedeguard.store.StoreException if the server answers and refuses, for instance the credentials
     */
    public static RedisStore connect(String uri, RedisStoreOptions options) {
        return Connector.connect(RedisUri.parse(uri), options);
    }

    @Override
    public byte @Nullable [] read(String key) {
        return commands.read(key, keys.value(key));
    }

    @Override
    public LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        List<byte[]> arguments = List.of(token.toBytes(), seen == null ? NONE : seen.toBytes(), millis(ttl));
        List<byte[]> both = both(key);
        return commands.change("take the lease of", key, (client, sending) -> {
            long sent = time.monotonicNanos();
            LeaseAnswer answer = LeaseAnswer.of((List<?>) Scripts.LEASE.run(client, both, arguments));
            if (answer.time() != null) {
                clock.learn(answer.time(), sent);
            }
            return answer.attempt();
        });
    }

    /** On one server all leases are renewed in one round trip, on a cluster in one for each of its nodes. */
    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        if (leases.isEmpty()) {
            return Set.of();
        }
        LeaseRenewal renewal = new LeaseRenewal(keys, millis(ttl));
        return commands.changeMany(
                "renew " + leases.size() + " leases", (client, sending) -> renewal.send(client, leases));
    }

    @Override
    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        List<byte[]> both = both(key);
        return commands.change("publish", key, (client, sending) -> {
            byte[] again = sending == Commands.Sending.AGAIN ? text("again") : NONE;
            List<byte[]> arguments = List.of(token.toBytes(), entry, millis(ttl), tell, again);
            return isOne(Scripts.PUBLISH.run(client, both, arguments));
        });
    }

    @Override
    public boolean abandon(String key, LeaseToken token) {
        return giveBack(key, Scripts.ABANDON, List.of(token.toBytes(), tell));
    }

    @Override
    public boolean fail(String key, LeaseToken token, FailedLoad failed) {
        List<byte[]> arguments = List.of(
                token.toBytes(),
                text(Integer.toString(failed.inARow())),
                millis(failed.coolDown()),
                millis(failed.remembered()),
                millis(failed.coolDown().plus(failed.remembered())),
                failed.failure(),
                tell);
        return giveBack(key, Scripts.FAIL, arguments);
    }

    /** Gives the lease back as {@link #abandon} does, but tells nobody: there is a reason why they could not have it. */
    boolean withdraw(String key, LeaseToken token) {
        return giveBack(key, Scripts.ABANDON, List.of(token.toBytes(), NONE));
    }

    private boolean giveBack(String key, Script script, List<byte[]> arguments) {
        List<byte[]> lease = List.of(keys.lease(key));
        return commands.change(
                "give back the lease of", key, (client, sending) -> isOne(script.run(client, lease, arguments)));
    }

    @Override
    public void put(String key, byte[] entry, Duration ttl) {
        change("put", key, Scripts.PUT, List.of(entry, millis(ttl), tell, changesOf(key)));
    }

    @Override
    public void invalidate(String key) {
        change("invalidate", key, Scripts.INVALIDATE, List.of(tell, changesOf(key)));
    }

    @Override
    public void expire(String key, int offset, byte[] mark) {
        List<byte[]> arguments = List.of(text(Integer.toString(offset)), mark, tell, changesOf(key));
        change("expire", key, Scripts.EXPIRE, arguments);
    }

    @Override
    public boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl) {
        List<byte[]> both = both(key);
        return commands.change("extend", key, (client, sending) -> {
            byte[] again = sending == Commands.Sending.AGAIN ? text("again") : NONE;
            List<byte[]> arguments = List.of(token.toBytes(), seen.toBytes(), head, millis(ttl), tell, again);
            return isOne(Scripts.EXTEND.run(client, both, arguments));
        });
    }

    private byte[] changesOf(String key) {
        return keys.changes(RedisKeys.cacheOf(key));
    }

    private void change(String notDone, String key, Script script, List<byte[]> arguments) {
        List<byte[]> both = both(key);
        commands.change(notDone, key, (client, sending) -> script.run(client, both, arguments));
    }

    /** Sends a few bytes at most; hears nothing on clients of which {@link #using(UnifiedJedis)} says so. */
    @Override
    public Notices.Watch watch(String key, Notices.Listener listener) {
        return notices == null ? () -> {} : notices.watch(keys.lease(key), listener);
    }

    /** Sends nothing itself; hears nothing on clients of which {@link #using(UnifiedJedis)} says so. */
    @Override
    public Changes.Watch watchChanges(String cache, Changes.Listener listener) {
        return changes == null ? () -> {} : changes.watch(cache, listener);
    }

    @Override
    public long currentTimeMillis() {
        return clock.currentTimeMillis();
    }

    /** Asks the server for its clock: the first thing to be known of it, and the sign that it is there. */
    void learnTime() {
        long sent = time.monotonicNanos();
        clock.learn(commands.time(), sent);
    }

    /** Tells where the server is, as messages say it; empty if that is not known. */
    String where() {
        return commands.where();
    }

    /**
     * Ends all watches, and closes the client if {@link #connect(String)} made it; then what is called afterwards fails.
     */
    @Override
    public void close() {
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

    private List<byte[]> both(String key) {
        return List.of(keys.value(key), keys.lease(key));
    }

    private static byte[] millis(Duration ttl) {
        return text(Long.toString(ttl.toMillis()));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static boolean isOne(Object answer) {
        return Long.valueOf(1).equals(answer);
    }
}
