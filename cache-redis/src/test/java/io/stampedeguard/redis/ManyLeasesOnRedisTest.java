package io.stampedeguard.redis;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/**
 * P1: the loader of very many keys, and the codec of their values, take far longer than a lease lives. The test lets time pass for
 * the cache and for what is in Redis alike, so it takes no longer than its commands do.
 */
@Tag("proof")
final class ManyLeasesOnRedisTest {
    private static final int KEYS = 40_000;

    /** Longer than any machine is busy with the commands of one step. */
    private static final Duration LEASE = ofMinutes(10);

    private static final Duration STEP = LEASE.multipliedBy(3).dividedBy(5);
    private static final int TICKS = 4;

    /** ARGV: for how many ms time passes for the leases. Answers how many there are. */
    private static final String AGE = """
            local leases = redis.call('KEYS', '*:lease')
            for _, key in ipairs(leases) do
              redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1])
            end
            return #leases
            """;

    /** ARGV: for how many ms more time may pass. Answers how many leases would be over then. */
    private static final String DUE = """
            local due = 0
            for _, key in ipairs(redis.call('KEYS', '*:lease')) do
              if redis.call('PTTL', key) <= tonumber(ARGV[1]) then
                due = due + 1
              end
            end
            return due
            """;

    private final VirtualTime time = new VirtualTime();
    private final RedisProcess redis = RedisServer.startProcess();
    private final Jedis admin = PlainRedis.admin(redis.uri());
    private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final RedisStore anothers = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final RecordingListener listener = new RecordingListener();
    private final BulkOrigin origin = new BulkOrigin();

    @AfterEach
    void close() {
        store.close();
        anothers.close();
        admin.close();
        redis.close();
    }

    private StampedeGuardedCache<String, String> cache(RedisStore on, ValueCodec<String> codec) {
        return StampedeGuardedCache.<String, String>builder("many")
                .store(on)
                .codec(codec)
                .policy(CachePolicy.builder()
                        .leaseTtl(LEASE)
                        .loadTimeout(ofDays(30))
                        .build())
                .listener(listener)
                .timeSource(time)
                .build();
    }

    @Test
    void fortyThousandKeysAreLoadedOnceAndKeepTheirLeases() {
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
        AtomicInteger encoded = new AtomicInteger();
        ScriptedCodec slow = ScriptedCodec.encoding(value -> {
            if (encoded.incrementAndGet() == KEYS / 2) { // it takes more than the life of a lease
                letALeasePass(held(), 1);
            }
        });
        try (StampedeGuardedCache<String, String> cache = cache(store, slow);
                StampedeGuardedCache<String, String> another = cache(anothers, StringCodec.of())) {
            assertThat(cache.getAll(keys, this::load)).hasSize(KEYS);

            assertThat(encoded).as("the first one again, when it was read back").hasValue(KEYS + 1);
            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(KEYS);
            assertThat(listener.count(EventType.LEASE_LOST)).isZero();
            assertThat(listener.count(FaultSource.STORE)).isZero();
            assertThat(another.getAll(keys, origin)).hasSize(KEYS);
            assertThat(origin.calls()).hasSize(1);
        }
    }

    private Map<String, String> load(Set<String> keys) throws Exception {
        letALeasePass(KEYS, 2);
        return origin.loadAll(keys);
    }

    /**
     * More than the life of a lease passes, in two steps; after each, all leases that have not ended are renewed. So many timers are
     * set while no renewal is under way.
     */
    private void letALeasePass(long leases, int timers) {
        for (int step = 0; step < 2; step++) {
            assertThat(admin.eval(AGE, 0, millis(STEP))).isEqualTo(leases);
            for (int tick = 0; tick < TICKS; tick++) {
                time.advance(LEASE.dividedBy(TICKS));
                Fleet.until(() -> time.timers() == timers);
            }
            assertThat(admin.eval(DUE, 0, millis(STEP))).isEqualTo(0L);
        }
    }

    private static String millis(Duration length) {
        return Long.toString(length.toMillis());
    }

    private long held() {
        return (Long) admin.eval(AGE, 0, "0");
    }
}
