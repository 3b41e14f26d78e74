package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Values that take longer to encode than a lease lives are nevertheless stored, and loaded once. */
final class SlowEncoderTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().leaseTtl(ofSeconds(2)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final VirtualTime time = fleet.time();
    private final ScriptedStore store = fleet.store();
    private final RecordingListener listener = fleet.listener();
    private final Origin origin = fleet.origin();
    private final BulkOrigin rows = fleet.bulkOrigin();

    /** Returns a cache in which the clock advances during each encoding, one tick of the renewal at a time. */
    private StampedeGuardedCache<String, String> slow(CachePolicy policy, long ticks, long tickMillis) {
        long began = time.monotonicNanos();
        ScriptedCodec codec = ScriptedCodec.encoding(value -> {
            for (long tick = 0; tick < ticks; tick++) {
                time.advance(ofMillis(tickMillis));
                if (time.monotonicNanos() - began < policy.loadTimeout().toNanos()) { // later, nothing is renewed
                    until(() -> time.timers() > 0); // the renewal that the tick began has ended
                }
            }
        });
        return fleet.builder("slow").policy(policy).codec(codec).build();
    }

    @Test
    void valueThatTakesLongerToEncodeThanALeaseLivesIsStored() {
        try (StampedeGuardedCache<String, String> cache = slow(POLICY, 12, 334)) {
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
        try (StampedeGuardedCache<String, String> cache = slow(POLICY, 1, 3)) {
            Map<String, String> values = cache.getAll(keys, rows);

            assertThat(values).hasSize(1_000);
            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1_000);
            assertThat(store.count(Call.PUBLISH_ALL)).isGreaterThan(10);
            assertThat(cache.getAll(keys, rows)).hasSize(1_000);
            assertThat(rows.calls()).hasSize(1);
        }
    }

    @Test
    void callersOfStoredKeysDoNotWaitForTheirBatch() throws Exception {
        List<String> keys = IntStream.range(0, 200).mapToObj(i -> "k" + i).toList();
        CountDownLatch last = new CountDownLatch(1);
        ScriptedCodec stopsAtTheLast = ScriptedCodec.encoding(value -> {
            if (value.equals("k199's")) {
                last.await();
            }
        });
        try (StampedeGuardedCache<String, String> cache =
                fleet.builder("slow").codec(stopsAtTheLast).build()) {
            Callers.Call<Map<String, String>> batch = fleet.callers().call(() -> cache.getAll(keys, rows));
            until(() -> store.done(Call.PUBLISH_ALL) > 0);

            assertThat(fleet.callers().call(() -> cache.get("k0", rows::load)).result())
                    .isEqualTo("k0's");

            last.countDown();
            assertThat(batch.result()).hasSize(200);
            assertThat(rows.loads("k0")).isEqualTo(1);
        }
    }

    @Test
    void slowEncodingKeepsTheLeaseOnlyUntilTheLoadTimeout() {
        CachePolicy brief = POLICY.toBuilder().loadTimeout(ofSeconds(4)).build();
        try (StampedeGuardedCache<String, String> cache = slow(brief, 30, 334)) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");

            assertThat(listener.count(EventType.LOAD_FENCED)).isEqualTo(1);
            assertThat(store.count(Call.RENEW)).isLessThanOrEqualTo(6);
        }
    }
}
