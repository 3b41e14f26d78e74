package io.stampedeguard.redis;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.ClientFactory;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.redis.internal.connect.RedisUri.Kind;
import io.stampedeguard.redis.internal.subscribe.InvalidationFeed;
import io.stampedeguard.redis.internal.subscribe.Servers;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;

/** The wiring of a {@link RedisStore}: on a caller's client, or on its own. */
final class StoreAssembly {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private StoreAssembly() {}

    static RedisStore using(UnifiedJedis client, RedisStoreOptions options, TimeSource time) {
        options.requireNothingOfConnections();
        return store(client, "", options, time, () -> {}, null);
    }

    /** One command checks whether the server answers, another one its version. A refusal or an old version is an exception. */
    static RedisStore connect(RedisUri uri, RedisStoreOptions options) {
        ClientFactory clients = new ClientFactory(uri, options.clientSettings());
        UnifiedJedis client = client(clients, uri);
        RedisStore store = store(
                client,
                " at " + uri.shownAddress(),
                options,
                TimeSource.system(),
                client,
                uri.kind() == Kind.SERVER ? clients::connection : null);
        Commands commands = store.onRedis().commands();
        try {
            store.onRedis().learnTime();
            refuseIfOld(commands);
        } catch (StoreException failure) {
            warnOrThrow(RedisFailure.explained(failure, uri, commands::missingRights), failure, options, store);
        } catch (IllegalStateException tooOld) {
            store.close();
            throw tooOld;
        }
        return store;
    }

    private static UnifiedJedis client(ClientFactory clients, RedisUri uri) {
        try {
            return clients.client();
        } catch (RuntimeException unknownMasters) {
            throw RedisFailure.explained(RedisFailure.toStoreException("connect", "", unknownMasters), uri, () -> "");
        }
    }

    /** Connections for notifications are opened by {@code named}, with the suffix of their names, or as the client opens its own. */
    private static RedisStore store(
            UnifiedJedis client,
            String where,
            RedisStoreOptions options,
            TimeSource time,
            AutoCloseable owned,
            @Nullable Function<String, Connection> named) {
        ClientConnections connections = ClientConnections.of(client);
        RedisKeys keys = new RedisKeys(options.keyPrefix());
        Commands commands = new Commands(
                client,
                connections,
                options.borrowTimeout(),
                where,
                options.slowCall(),
                options.combineReads(),
                keys,
                time);
        Servers servers = Servers.of(client, connections, commands.cluster(), keys);
        Supplier<List<String>> login = () -> ClientConnections.login(connections.onePool());
        Servers ends = named == null ? servers : Servers.at(() -> named.apply("-notices"), login);
        Servers changes = named == null ? servers : Servers.at(() -> named.apply("-changes"), login);
        return new RedisStore(commands, keys, time, owned, ends, changes(changes, keys, commands::silent));
    }

    static @Nullable InvalidationFeed changes(
            @Nullable Servers servers, RedisKeys keys, ObjLongConsumer<Object> onSilence) {
        TimeSource time = TimeSource.system();
        return servers == null
                ? null
                : new InvalidationFeed(
                        servers, keys, time, onSilence, new BackgroundThreads("stampedeguard-redis-changes", time));
    }

    private static void refuseIfOld(Commands commands) {
        String complaint = commands.serverComplaint();
        if (complaint != null) {
            throw new IllegalStateException(complaint);
        }
    }

    private static void warnOrThrow(
            StoreException explained, StoreException failure, RedisStoreOptions options, RedisStore store) {
        if (options.failFast() || RedisFailure.isRefusal(failure)) {
            store.close();
            throw explained;
        }
        LOG.warn("{}; the cache works without Redis until it answers", explained.getMessage());
    }
}
