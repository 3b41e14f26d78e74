package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.redis.internal.subscribe.InvalidationFeed;
import io.stampedeguard.redis.internal.subscribe.RedisNotices;
import io.stampedeguard.redis.internal.subscribe.Servers;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;

/** The system may permit no more threads at the moment at which a store needs one in the background. */
class ThreadShortageTest {
    private static final RedisKeys KEYS = new RedisKeys("");

    private final String key = "threads-" + LeaseToken.next() + ":k";
    private final RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final FailingThreads failing = new FailingThreads(1, 2);
    private final BackgroundThreads threads = new BackgroundThreads(failing, TimeSource.system());

    private static Connection connect() {
        return new Connection(
                RedisUri.parse(SharedRedis.uri()).address(),
                DefaultJedisClientConfig.builder().build());
    }

    @Test
    void leaseEndsAreHeardOnceAThreadCanBeStarted() {
        try (store;
                RedisNotices notices = new RedisNotices(
                        Servers.at(ThreadShortageTest::connect, List::of),
                        TimeSource.system(),
                        Duration.ofMinutes(1),
                        threads)) {
            Waiter waiter = new Waiter();
            notices.watch(KEYS.lease(key), waiter);
            waiter.awaitListenings(1);
            assertThat(failing.started()).hasValueGreaterThan(2);
            on(store).invalidate(key);
            waiter.awaitNotices(1);
        }
    }

    @Test
    void changesAreHeardAsSoonAsAThreadCanBeStarted() {
        String cache = key.substring(0, key.indexOf(':'));
        try (store;
                InvalidationFeed changes = new InvalidationFeed(
                        Servers.at(ThreadShortageTest::connect, List::of),
                        KEYS,
                        TimeSource.system(),
                        (server, since) -> {},
                        threads)) {
            ChangesEar ear = new ChangesEar();
            changes.watchChanges(cache, List.of(ear));
            ear.awaitListening(1);
            assertThat(failing.started()).hasValueGreaterThan(2);
            on(store).put(key, LeaseToken.next().toBytes(), Duration.ofMinutes(1));
            ear.awaitChanged(key);
        }
    }
}
