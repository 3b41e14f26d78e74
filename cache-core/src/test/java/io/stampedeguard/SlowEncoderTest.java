package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Values that take longer to encode than a lease lives are nevertheless stored, and loaded once. */
final class SlowEncoderTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().leaseTtl(ofSeconds(2)).build();

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));
    private final RecordingListener listener = new RecordingListener();

    @AutoClose
    private final Callers callers = new Callers();

    private final Origin origin = new Origin("one");

    /** Advances the clock during the encoding, one tick of the renewal at a time, and waits for each renewal. */
    private final class Slow implements ValueCodec<String> {
        private final CachePolicy policy;
        private final long ticks;
        private final long tickMillis;

        private Slow(CachePolicy policy, long ticks, long tickMillis) {
            this.policy = policy;
            this.ticks = ticks;
            this.tickMillis = tickMillis;
        }

        @Override
        public byte[] encode(String value) throws Exception {
            for (long tick = 0; tick < ticks; tick++) {
                time.advance(ofMillis(tickMillis));
                if ((tick + 1) * tickMillis < policy.loadTimeout().toMillis()) {
                    until(() -> time.timers() > 0); // the renewal that the tick began has ended
                }
            }
            return StringCodec.of().encode(value);
        }

        @Override
        public String decode(ByteBuffer payload) {
            return StringCodec.of().decode(payload);
        }
    }

    private StampedeGuardedCache<String, String> cache(ValueCodec<String> codec) {
        return StampedeGuardedCache.<String, String>builder("slow")
                .store(store)
                .codec(codec)
                .policy(POLICY)
                .listener(listener)
                .timeSource(time)
                .build();
    }

    @Test
    void valueThatTakesLongerToEncodeThanALeaseLivesIsStored() {
        try (StampedeGuardedCache<String, String> cache = cache(new Slow(POLICY, 12, 334))) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1);
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(origin.reads()).isEqualTo(1);
            assertThat(store.count(Call.RENEW)).isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void keysOfALargeBatchAreStoredInPortionsAndLoadedOnce() {
        List<String> keys = IntStream.range(0, 1_000).mapToObj(i -> "k" + i).toList();
        BulkOrigin rows = new BulkOrigin();
        try (StampedeGuardedCache<String, String> cache = cache(new Slow(POLICY, 1, 3))) {
            Map<String, String> values = cache.getAll(keys, rows);

            assertThat(values).hasSize(1_000);
            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1_000);
            assertThat(store.count(Call.PUBLISH_ALL)).isGreaterThan(10);
            assertThat(cache.getAll(keys, rows)).hasSize(1_000);
            assertThat(rows.calls()).hasSize(1);
        }
    }

    @Test
    void callersOfAKeyThatIsStoredDoNotWaitForTheRestOfTheBatch() throws Exception {
        List<String> keys = IntStream.range(0, 200).mapToObj(i -> "k" + i).toList();
        BulkOrigin rows = new BulkOrigin();
        java.util.concurrent.CountDownLatch last = new java.util.concurrent.CountDownLatch(1);
        ValueCodec<String> stopsAtTheLast = new ValueCodec<>() {
            @Override
            public byte[] encode(String value) throws Exception {
                if (value.equals("k199's")) {
                    last.await();
                }
                return StringCodec.of().encode(value);
            }

            @Override
            public String decode(ByteBuffer payload) {
                return StringCodec.of().decode(payload);
            }
        };
        try (StampedeGuardedCache<String, String> cache = cache(stopsAtTheLast)) {
            Callers.Call<Map<String, String>> batch = callers.call(() -> cache.getAll(keys, rows));
            until(() -> store.done(Call.PUBLISH_ALL) > 0);

            assertThat(callers.call(() -> cache.get("k0", rows::load)).result()).isEqualTo("k0's");

            last.countDown();
            assertThat(batch.result()).hasSize(200);
            assertThat(rows.loads("k0")).isEqualTo(1);
        }
    }

    @Test
    void leaseIsLetGoAtTheLoadTimeoutHoweverLongTheValueTakesToEncode() {
        CachePolicy brief = POLICY.toBuilder().loadTimeout(ofSeconds(4)).build();
        try (StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("slow")
                .store(store)
                .codec(new Slow(brief, 30, 334))
                .policy(brief)
                .listener(listener)
                .timeSource(time)
                .build()) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");

            assertThat(listener.count(EventType.LOAD_FENCED)).isEqualTo(1);
            assertThat(store.count(Call.RENEW)).isLessThanOrEqualTo(6);
        }
    }
}
