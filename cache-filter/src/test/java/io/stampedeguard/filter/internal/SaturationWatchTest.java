package io.stampedeguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.testkit.Callers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Each tenth of the expected keys is noticed, once. */
final class SaturationWatchTest {
    private static final int EXPECTED = 100_000;

    private final BlockedBloom bits = new BlockedBloom(BloomShape.of(EXPECTED, 0.01));
    private final SaturationWatch watch = new SaturationWatch(bits, EXPECTED);

    /** Returns the numbers of keys at which the growth of the filter was noticed. */
    private static List<Integer> noticed(BlockedBloom bits, SaturationWatch watch, int from, int to) {
        List<Integer> noticed = new ArrayList<>();
        for (int i = from; i < to; i++) {
            bits.add(Hashes.of(i));
            if (watch.grown()) {
                noticed.add(i + 1);
            }
        }
        return noticed;
    }

    @Test
    void eachTenthIsNoticedOnceAndOnTimeEvenInOverload() {
        List<Integer> noticed = noticed(bits, watch, 0, EXPECTED * 2 + 5_000);

        assertThat(noticed).hasSize(20);
        for (int tenth = 1; tenth <= 20; tenth++) {
            assertThat(noticed.get(tenth - 1)).isCloseTo(tenth * EXPECTED / 10, within(EXPECTED / 50));
        }
    }

    @Test
    void whatIsThereAtTheBeginningIsNotGrowth() {
        noticed(bits, watch, 0, 35_000);
        SaturationWatch later = new SaturationWatch(bits, EXPECTED);

        assertThat(later.grown()).isFalse();
        assertThat(noticed(bits, later, 35_000, 45_000)).hasSize(1);
    }

    @Test
    void keysThatAreThereAlreadyAreNoGrowth() {
        noticed(bits, watch, 0, 15_000);

        assertThat(noticed(bits, watch, 0, 15_000)).isEmpty();
    }

    @Test
    void leapOverSeveralTenthsIsNoticedOnce() {
        noticed(bits, new SaturationWatch(bits, EXPECTED), 0, 55_000);

        assertThat(watch.grown()).isTrue();
        assertThat(watch.grown()).isFalse();
        assertThat(noticed(bits, watch, 55_000, 65_000)).hasSize(1);
    }

    @Test
    void filterThatIsFullGrowsNoMore() {
        BlockedBloom full = new BlockedBloom(new BloomShape(32, 7));
        byte[] ones = new byte[32 * BloomShape.BLOCK_BYTES];
        Arrays.fill(ones, (byte) -1);
        full.merge(0, ones);
        SaturationWatch small = new SaturationWatch(full, 1);

        assertThat(noticed(full, small, 0, 1_000)).isEmpty();
    }

    @Test
    void oneOfManyIsToldOfATenth() throws Exception {
        AtomicLong next = new AtomicLong();
        int told = 0;
        try (Callers callers = new Callers()) {
            for (Callers.Call<Integer> call : callers.call(4, () -> {
                int mine = 0;
                for (long i = next.getAndIncrement(); i < EXPECTED + 5_000; i = next.getAndIncrement()) {
                    bits.add(Hashes.of(i));
                    mine += watch.grown() ? 1 : 0;
                }
                return mine;
            })) {
                told += call.result();
            }
        }
        assertThat(told).isEqualTo(10);
    }
}
