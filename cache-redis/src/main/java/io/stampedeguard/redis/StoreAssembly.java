package io.stampedeguard.redis;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.ClientFactory;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.redis.internal.connect.ServerPool;
import io.stampedeguard.redis.internal.subscribe.InvalidationFeed;
import io.stampedeguard.redis.internal.subscribe.Servers;
import io.stampedeguard.time.TimeSource;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.UnifiedJedis;

/** The wiring of a {@link RedisStore}: on a caller's client, or on its own. */
final class StoreAssembly {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private StoreAssembly() {}

    static RedisStore using(UnifiedJedis client, RedisStoreOptions options, TimeSource time) {
        ClientConnections connections = ClientConnections.of(client);
        RedisKeys keys = new RedisKeys(options.keyPrefix());
        Commands commands = new Commands(
                client,
                connections,
                options.borrowTimeout(),
                "",
                options.slowCall(),
                options.combineReads(),
                keys,
                time);
        Servers servers = Servers.of(client, connections, commands.cluster(), keys);
        return new RedisStore(commands, keys, time, () -> {}, servers, changes(servers, keys, commands::silent));
    }

    /** One command checks whether the server answers, another one its version. A refusal or an old version is an exception. */
    static RedisStore connect(RedisUri uri, RedisStoreOptions options) {
        ClientFactory clients = new ClientFactory(uri, options.clientSettings());
        TimeSource time = TimeSource.system();
        ServerPool connections = clients.connections();
        UnifiedJedis client = clients.client(connections);
        RedisKeys keys = new RedisKeys(options.keyPrefix());
        Commands commands = new Commands(
                client,
                ClientConnections.own(connections),
                options.borrowTimeout(),
                " at " + uri.shownAddress(),
                options.slowCall(),
                options.combineReads(),
                keys,
                time);
        RedisStore store = new RedisStore(
                commands,
                keys,
                time,
                client,
                Servers.at(() -> clients.connection("-notices")),
                changes(Servers.at(() -> clients.connection("-changes")), keys, commands::silent));
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

    static @Nullable InvalidationFeed changes(
            @Nullable Servers servers, RedisKeys keys, ObjLongConsumer<Object> onSilence) {
        return servers == null ? null : new InvalidationFeed(servers, keys, TimeSource.system(), onSilence);
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
