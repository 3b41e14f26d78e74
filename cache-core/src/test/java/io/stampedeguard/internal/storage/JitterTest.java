package io.stampedeguard.internal.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Entries written at one moment expire evenly over the range set by the policy. */
final class JitterTest {
    private static final long SEED = 1_959L;
    private static final int ENTRIES = 10_000;
    private static final int BINS = 50;

    /** Chi-square with 49 degrees of freedom exceeds this for one seed in a thousand. */
    private static final double CHI_SQUARE_LIMIT = 85.35;

    private static final double JITTER = 0.10;
    private static final long SOFT = Duration.ofMinutes(5).toMillis();
    private static final long HARD = Duration.ofMinutes(20).toMillis();
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(Duration.ofMillis(SOFT))
            .hardTtl(Duration.ofMillis(HARD))
            .jitter(JITTER)
            .build();

    @Test
    void expiriesAreSpreadEvenly() throws Exception {
        int[] counts = new int[BINS];
        double width = SOFT * JITTER / BINS;
        for (Lives lives : written(ENTRIES, "value", new Random(SEED)::nextDouble)) {
            counts[(int) Math.min(BINS - 1, (SOFT - lives.softMillis) / width)]++;
        }
        double expected = (double) ENTRIES / BINS;
        double chiSquare = Arrays.stream(counts)
                .mapToDouble(count -> (count - expected) * (count - expected) / expected)
                .sum();

        assertThat(chiSquare)
                .as("chi-square of %s, seed %d", Arrays.toString(counts), SEED)
                .isLessThan(CHI_SQUARE_LIMIT);
    }

    @Test
    void noTtlIsLengthenedNorShortenedByMoreThanTheJitter() throws Exception {
        for (Lives lives : written(ENTRIES, "value", new Random(SEED)::nextDouble)) {
            assertThat(lives.softMillis).isBetween((long) Math.ceil(SOFT * (1 - JITTER)), SOFT);
            assertThat(lives.hardMillis).isBetween((long) Math.ceil(HARD * (1 - JITTER)), HARD);
            assertThat(lives.storeMillis).as("the store keeps it as long").isEqualTo(lives.hardMillis);
        }
    }

    @Test
    void bothTtlsAreShortenedByTheSameShare() throws Exception {
        for (Lives lives : written(ENTRIES, "value", new Random(SEED)::nextDouble)) {
            double softShare = 1 - (double) lives.softMillis / SOFT;
            double hardShare = 1 - (double) lives.hardMillis / HARD;

            assertThat(softShare - hardShare)
                    .as("a millisecond's rounding apart")
                    .isBetween(-1.0 / SOFT, 1.0 / SOFT);
        }
    }

    @Test
    void negativeEntriesAreSpreadAndNeverStale() throws Exception {
        long negative = POLICY.negativeTtl().toMillis();
        List<Lives> all = written(1_000, null, new Random(SEED)::nextDouble);

        assertThat(all).allSatisfy(lives -> {
            assertThat(lives.softMillis).isEqualTo(lives.hardMillis);
            assertThat(lives.softMillis).isBetween((long) Math.ceil(negative * (1 - JITTER)), negative);
        });
        assertThat(all.stream().map(Lives::softMillis).distinct()).hasSizeGreaterThan(500);
    }

    @Test
    void extremeDrawsAreTheEndsOfTheRange() throws Exception {
        Lives whole = written(1, "value", () -> 0).get(0);
        Lives shortest = written(1, "value", () -> Math.nextDown(1.0)).get(0);

        assertThat(whole).isEqualTo(new Lives(SOFT, HARD, HARD));
        assertThat(shortest.softMillis).isBetween(SOFT * 9 / 10, SOFT * 9 / 10 + 1);
        assertThat(shortest.hardMillis).isBetween(HARD * 9 / 10, HARD * 9 / 10 + 1);
    }

    @Test
    void shortenedTtlsKeepTheirBoundsWhateverTheirLength() {
        Random random = new Random(SEED);
        for (int i = 0; i < 100_000; i++) {
            long soft = 1 + random.nextInt(100);
            long hard = soft + random.nextInt(100);
            double jitter = random.nextDouble();
            double draw = random.nextDouble();
            long softLeft = EntryWriter.shortenedMillis(Duration.ofMillis(soft), jitter, draw);
            long hardLeft = EntryWriter.shortenedMillis(Duration.ofMillis(hard), jitter, draw);

            assertThat(softLeft)
                    .as("%d ms, jitter %s, draw %s, seed %d", soft, jitter, draw, SEED)
                    .isBetween(Math.max(1, (long) Math.ceil(soft * (1 - jitter))), soft);
            assertThat(hardLeft)
                    .as("%d and %d ms, jitter %s, draw %s, seed %d", soft, hard, jitter, draw, SEED)
                    .isGreaterThanOrEqualTo(softLeft);
        }
    }

    private static TimeSource drawing(DoubleSupplier draws) {
        return new ForwardingTime(TimeSource.system()) {
            @Override
            public double random() {
                return draws.getAsDouble();
            }
        };
    }

    private record Lives(long softMillis, long hardMillis, long storeMillis) {}

    private static List<Lives> written(int entries, @Nullable String value, DoubleSupplier draws) throws Exception {
        InMemoryStore store = InMemoryStore.create(new VirtualTime());
        EntryWriter<String> writer = new EntryWriter<>(StringCodec.of(), store, POLICY, drawing(draws));
        List<Lives> all = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            Entry written = writer.write(LeaseToken.next(), LoadedValue.of(value), 0, null, 0);
            Entry entry = Entry.decode(written.encode());
            long created = entry.createdMillis();
            all.add(new Lives(
                    entry.softExpiryMillis() - created,
                    entry.hardExpiryMillis() - created,
                    written.lifetime().toMillis()));
        }
        return all;
    }
}
