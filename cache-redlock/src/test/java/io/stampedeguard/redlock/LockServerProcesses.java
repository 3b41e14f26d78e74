package io.stampedeguard.redlock;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

/** A server for the values and some independent ones for the locks, all real, and their contents, as a test sees them. */
final class LockServerProcesses implements AutoCloseable {
    /** So long that no machine is slow enough to reach it, unless a server stalls. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Longer than any time limit. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final RedisProcess values = RedisServer.startProcess();
    private final List<RedisProcess> servers;
    private final List<RedisStore> opened = new ArrayList<>();

    LockServerProcesses(int servers) {
        this.servers = Stream.generate(RedisServer::startProcess).limit(servers).toList();
    }

    RedisProcess values() {
        return values;
    }

    RedisProcess server(int index) {
        return servers.get(index);
    }

    /** A store on the server of the values only. */
    RedisStore plain(String keyPrefix) {
        return store(values, keyPrefix, TIMEOUT);
    }

    /** A store for another process. */
    RedlockStore leases() {
        return leases(plain(""), TimeSource.system(), PATIENCE);
    }

    RedlockStore leases(RedisStore plain, TimeSource time, Duration patience) {
        return new RedlockStore(plain, lockStores(TIMEOUT), time, patience);
    }

    List<RedisStore> lockStores(Duration timeout) {
        return servers.stream().map(server -> store(server, "", timeout)).toList();
    }

    private RedisStore store(RedisProcess server, String keyPrefix, Duration timeout) {
        RedisStore store = RedisStore.connect(
                server.uri(),
                SharedRedis.WITHOUT_BREAKER.toBuilder()
                        .commandTimeout(timeout)
                        .maxConnections(4)
                        .keyPrefix(keyPrefix)
                        .build());
        opened.add(store);
        return store;
    }

    /** What happens when an asynchronous replica becomes the master before it has received the lease. */
    void forgetLeaseOnTheStore(String key) {
        delete(values, key);
    }

    void delete(RedisProcess server, String key) {
        try (RedisClient client = PlainRedis.client(server.uri())) {
            if (client.del(new RedisKeys("").lease(key)) != 1) {
                throw new IllegalStateException("there was no lease of " + key);
            }
        }
    }

    /** Returns the holder of a key's lock on the first of the servers. */
    List<@Nullable LeaseToken> locks(String key, int first) {
        List<@Nullable LeaseToken> locks = new ArrayList<>();
        servers.subList(0, first).forEach(server -> locks.add(lease(server, key)));
        return locks;
    }

    /** Returns how many servers, including the one of the values, have a lease or lock of a key. */
    long leftBehind(String key) {
        return Stream.concat(Stream.of(values), servers.stream())
                .map(server -> lease(server, key))
                .filter(Objects::nonNull)
                .count();
    }

    @Nullable
    LeaseToken lease(RedisProcess server, String key) {
        try (RedisClient client = PlainRedis.client(server.uri())) {
            byte[] lease = client.get(new RedisKeys("").lease(key));
            return lease == null ? null : LeaseToken.startOf(lease);
        }
    }

    long millisLeft(RedisProcess server, String key) {
        try (RedisClient client = PlainRedis.client(server.uri())) {
            return client.pttl(new RedisKeys("").lease(key));
        }
    }

    /** Returns how many scripts had to be sent to a server because it did not know them. */
    long scriptsLoaded(RedisProcess server) {
        return commands(server).count("eval");
    }

    /** Resets the counts of {@link #scriptsCalled}. */
    void resetCounts() {
        servers.forEach(server -> {
            try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
                admin.configResetStat();
            }
        });
    }

    /** Returns how often a script was called on a server. */
    long scriptsCalled(RedisProcess server) {
        RedisCommands commands = commands(server);
        return commands.count("eval") + commands.count("evalsha");
    }

    private static RedisCommands commands(RedisProcess server) {
        try (RedisClient client = PlainRedis.client(server.uri())) {
            return RedisCommands.parse(client.info("commandstats"));
        }
    }

    @Override
    public void close() {
        opened.forEach(RedisStore::close);
        values.close();
        servers.forEach(RedisProcess::close);
    }
}
