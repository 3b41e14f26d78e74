package io.stampedeguard.metrics;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.TextCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The causes in {@code docs/operations.md} of a second load, and the meters that prove each. */
final class LoadedTwiceTest {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");

    private final FaultyStore store = FaultyStore.create();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicInteger loads = new AtomicInteger();

    /** No lease ends by itself, however busy the machine is. */
    private static final CachePolicy PATIENT = CachePolicy.builder()
            .leaseTtl(Duration.ofMinutes(1))
            .loadTimeout(Duration.ofMinutes(2))
            .waitTimeout(Duration.ofMinutes(2))
            .build();

    @AutoClose
    private final StampedeGuardedCache<String, String> one = cache(StringCodec.of());

    @AutoClose
    private final StampedeGuardedCache<String, String> other = cache(StringCodec.of());

    /** The caches of two processes, whose meters are added. */
    private StampedeGuardedCache<String, String> cache(ValueCodec<String> codec) {
        return StampedeGuardedCache.<String, String>builder("products")
                .store(store)
                .codec(codec)
                .policy(PATIENT)
                .listener(new MicrometerListener(meters))
                .build();
    }

    private String load(String key) {
        loads.incrementAndGet();
        return "value";
    }

    /** The key was loaded twice; these meters show why, and the row of the page names them. */
    private void assertProvedBy(String cause, String... proofs) throws IOException {
        assertThat(loads).hasValue(2);
        String row = Files.readString(PAGE)
                .lines()
                .filter(line -> line.startsWith("| " + cause))
                .findFirst()
                .orElseThrow();
        Map<String, Double> moved = Meters.moved(meters, "products");
        for (String proof : proofs) {
            assertThat(moved).containsKey("cache.stampede." + proof);
            List<String> words = new ArrayList<>();
            for (String word : proof.split(" ")) {
                words.add("`" + word.replaceFirst("^.*=", "") + "`");
            }
            words.remove("`answered`");
            assertThat(row).contains(words);
        }
    }

    @Test
    void lostLease() throws Exception {
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try (Callers callers = new Callers()) {
            Callers.Call<String> first = callers.call(() -> one.get("lamp", key -> {
                loading.countDown();
                gate.await();
                return load(key);
            }));
            loading.await();
            Callers.Call<String> second = callers.call(() -> other.get("lamp", this::load));
            Fleet.until(() -> Meters.moved(meters, "products").containsKey("cache.stampede.leases outcome=held"));
            SharedStore shared = store.shared();
            LeaseAttempt held = requireNonNull(shared.inspect("products:lamp").lease());
            shared.end(Map.of(
                    new HeldLease("products:lamp", requireNonNull(((LeaseAttempt.Held) held).holder())),
                    new LeaseEnd.Abandon()));
            second.result();
            gate.countDown();
            first.result();
        }
        assertProvedBy("The lease was lost", "leases outcome=taken_over", "loads.duplicate");
    }

    @Test
    void changeDuringTheLoad() throws Exception {
        one.get("lamp", key -> {
            other.invalidate(key);
            return load(key);
        });
        other.get("lamp", this::load);

        assertProvedBy("The key was changed", "loads.duplicate", "store.calls command=invalidate outcome=answered");
    }

    @Test
    void storeThatDoesNotAnswer() throws Exception {
        store.beginOutage();
        one.get("lamp", this::load);
        other.get("lamp", this::load);

        assertThat(Meters.moved(meters, "products").keySet())
                .anyMatch(meter -> meter.startsWith("cache.stampede.loads.unleased reason="));
        assertProvedBy("Redis did not answer");
    }

    @Test
    void storeThatRefuses() throws Exception {
        store.refuseChanges();
        one.get("lamp", this::load);
        other.get("lamp", this::load);

        assertProvedBy("Redis did not answer", "loads.unleased reason=refused");
    }

    @Test
    void resultThatIsNotStored() throws Exception {
        Loader<String, String> unstored =
                Loader.adaptive((key, previous) -> LoadedValue.of(load(key)).doNotCache());
        one.get("lamp", unstored);
        other.get("lamp", unstored);

        assertProvedBy("The result is not stored", "loads outcome=not_stored", "loads.unleased reason=not_cacheable");
    }

    @Test
    void entryThatAnotherProcessCannotRead() throws Exception {
        try (StampedeGuardedCache<String, String> newer = cache(new TextCodec("text", 2))) {
            one.get("lamp", this::load);
            newer.get("lamp", this::load);

            assertProvedBy("Processes cannot read each other's entries", "reads outcome=incompatible");
        }
    }
}
