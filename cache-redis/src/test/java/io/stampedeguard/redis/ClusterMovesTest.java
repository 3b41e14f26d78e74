package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.SlotMigration;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A slot is moved while its keys are in use. */
@ResourceLock(SharedCluster.LOCK)
class ClusterMovesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private static final RedisCluster cluster = SharedCluster.get();

    @AutoClose
    private static final RedisClusterClient client = Topologies.client(cluster);

    private final String key = "moves:" + LeaseToken.next();
    private final LeaseToken token = LeaseToken.next();
    private final RedisProcess target = anotherMaster();
    private final SlotMigration migration = cluster.migration(slot(), target);
    private final AtomicInteger pauses = new AtomicInteger();

    private int slot() {
        return JedisClusterCRC16.getSlot(new RedisKeys("").value(key));
    }

    private RedisProcess anotherMaster() {
        RedisProcess master = cluster.masterOf(slot());
        return IntStream.of(0, 5_461, 10_922)
                .mapToObj(cluster::masterOf)
                .filter(other -> !other.equals(master))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aLeaseGoesWithItsSlotAndIsFencedThere() {
        RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
        on(store).lease(key, token, null, LONG);

        migration.run();

        assertThat(on(store).lease(key, LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Held.class);
        assertThat(on(store).publish(key, LeaseToken.next(), token.toBytes(), LONG))
                .isFalse();
        assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
        assertThat(on(store).read(key)).isEqualTo(token.toBytes());
        assertThat(cluster.masterOf(slot())).isEqualTo(target);
    }

    @Test
    void anEntryIsReadWhereverItIsWhileItsSlotMoves() {
        RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
        on(store).put(key, token.toBytes(), LONG);
        migration.begin();
        assertThat(on(store).read(key)).as("still at the source").isEqualTo(token.toBytes());
        migration.moveKeys();
        assertThat(on(store).read(key)).as("already at the target").isEqualTo(token.toBytes());
        migration.end();
        assertThat(on(store).read(key)).isEqualTo(token.toBytes());
    }

    @Test
    void keysOfOthersGoWithTheSlot() {
        String other = "{" + key + "}:other";
        client.set(other, "value", SetParams.setParams().ex(LONG.toSeconds()));

        migration.begin();
        migration.end();

        assertThat(client.get(other)).isEqualTo("value");
    }

    @Test
    void changesWaitUntilTheSlotHasArrived() {
        RedisStore store = store(() -> {
            if (pauses.incrementAndGet() == 3) {
                migration.end();
            }
        });
        on(store).put(key, token.toBytes(), LONG);
        migration.begin();

        on(store).invalidate(key);

        assertThat(pauses).hasValue(3);
        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void theTargetIsToldTheScriptsThatItDoesNotKnow() {
        RedisStore store = store(() -> {
            if (pauses.incrementAndGet() == 1) {
                migration.end();
            }
        });
        try (Jedis admin = PlainRedis.admin(target.host(), target.port())) {
            admin.scriptFlush();
        }
        migration.begin();

        assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
        assertThat(on(store).read(key)).isEqualTo(token.toBytes());
    }

    @Test
    void aSlotThatTakesTooLongIsTrouble() {
        AtomicLong waited = new AtomicLong();
        RedisStore store = store(new Pauses(waited::addAndGet));
        migration.begin();
        try {
            assertThatThrownBy(() -> on(store).lease(key, token, null, LONG))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not acquire the lease of '" + key + "': TRYAGAIN");
            assertThat(waited.get()).isBetween(Turn.SLOT_NANOS, Turn.SLOT_NANOS + TimeUnit.MILLISECONDS.toNanos(32));
        } finally {
            migration.end();
        }
        assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() {
        RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
        migration.begin();
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> on(store).lease(key, token, null, LONG)).isInstanceOf(StoreException.class);
            assertThat(Thread.interrupted()).isTrue();
        } finally {
            migration.end();
        }
    }

    private static RedisStore store(Runnable pause) {
        return store(new Pauses(nanos -> pause.run()));
    }

    private static RedisStore store(TimeSource time) {
        return RedisStore.using(client, SharedRedis.WITHOUT_BREAKER, time);
    }

    /** The system's clocks; a wait ends at once. */
    static final class Pauses extends ForwardingTime {
        private final LongConsumer pause;

        Pauses(LongConsumer pause) {
            super(TimeSource.system());
            this.pause = pause;
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) {
            pause.accept(nanos);
            return false;
        }
    }
}
