package io.stampedeguard.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When an entry is due, by the figures of XFetch. */
final class EarlyRefreshTest {
    private static final long SEED = 1_959L;
    private static final int ENTRIES = 200_000;
    private static final int SOFT_MILLIS = 10_000;

    private static Entry entry(LeaseToken token, int loadMillis) {
        return new Entry(
                token,
                false,
                0,
                SOFT_MILLIS,
                2 * SOFT_MILLIS,
                loadMillis,
                CodecIdentity.NONE,
                ByteBuffer.allocate(0),
                0,
                List.of());
    }

    private static CachePolicy policy(double beta) {
        return CachePolicy.builder().earlyRefresh(beta).build();
    }

    /** P(early) = exp(−left/(β·δ)), for the remaining time beyond 1.2 δ and within the second half of the life. */
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1.0, 3.0})
    void shareOfEntriesThatAreDueIsThatOfXFetch(double beta) {
        long seed = new Random().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        CachePolicy policy = policy(beta);
        int loadMillis = 300;
        for (int left : new int[] {370, 600, 1_200, 2_400, 4_800}) {
            int due = 0;
            for (int i = 0; i < ENTRIES; i++) {
                LeaseToken token = new LeaseToken(random.nextInt(), random.nextLong(), i);
                if (entry(token, loadMillis).dueAtMillis(policy) <= SOFT_MILLIS - left) {
                    due++;
                }
            }
            double wanted = Math.exp(-left / (beta * loadMillis));
            assertThat(due / (double) ENTRIES)
                    .as("seed %d, beta %s, left %d ms", seed, beta, left)
                    .isCloseTo(wanted, within(0.005));
        }
    }

    /** Tokens of one process differ only in their count. */
    @Test
    void drawsOfConsecutiveTokensAreEven() {
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < ENTRIES; i++) {
            double draw = Entry.draw(new LeaseToken(4_711, 42L, i));
            assertThat(draw).isGreaterThanOrEqualTo(0).isLessThan(1);
            sum += draw;
            squares += draw * draw;
        }
        assertThat(sum / ENTRIES).isCloseTo(0.5, offset(0.005));
        assertThat(squares / ENTRIES).isCloseTo(1.0 / 3, offset(0.005));
    }

    @Test
    void entryIsDueWhenALoadWouldOtherwiseEndTooLate() {
        for (int i = 0; i < 1_000; i++) {
            Entry slow = entry(LeaseToken.next(), 700);
            assertThat(slow.dueAtMillis(policy(1)))
                    .isLessThanOrEqualTo(SOFT_MILLIS - 840)
                    .isGreaterThanOrEqualTo(SOFT_MILLIS / 2);
        }
    }

    @Test
    void entryIsNeverDueInTheFirstHalfOfItsLife() {
        Entry slower = entry(LeaseToken.next(), 60_000);
        assertThat(slower.dueAtMillis(policy(10))).isEqualTo(SOFT_MILLIS / 2);
    }

    @Test
    void withoutEarlyRefreshAnEntryIsDueWhenItIsStale() {
        assertThat(entry(LeaseToken.next(), 4_000).dueAtMillis(policy(0))).isEqualTo(SOFT_MILLIS);
    }

    @Test
    void entryThatWasExpiredByHandIsDue() {
        Entry expired = new Entry(
                LeaseToken.next(),
                false,
                1_000,
                0,
                9_000,
                10,
                CodecIdentity.NONE,
                ByteBuffer.allocate(0),
                0,
                List.of());
        assertThat(expired.dueAtMillis(policy(1))).isLessThanOrEqualTo(1_000);
    }

    /**
     * What the lease saves: without it each read that draws early loads, e^(1/β) of them on average. The seed is fixed:
     * the tolerance is three standard errors, and one seed in five hundred exceeds it.
     */
    @Test
    void xFetchAloneLoadsSeveralTimesAnExpiry() {
        SplittableRandom random = new SplittableRandom(SEED);
        int lives = 2_000;
        long loads = 0;
        for (int life = 0; life < lives; life++) {
            loads += loadsOfOneLife(random, 100, 20);
        }
        assertThat(loads / (double) lives).isCloseTo(Math.E, within(0.15));
    }

    /** A number of reads per millisecond, each of which draws for itself and loads for a given time if it is early. */
    private static int loadsOfOneLife(SplittableRandom random, int loadMillis, int readsPerMilli) {
        int loads = 0;
        int published = Integer.MAX_VALUE;
        for (int left = 1_500; left > 0 && 1_500 - left < published; left--) {
            for (int read = 0; read < readsPerMilli; read++) {
                if (Entry.xFetchLeft(loadMillis, 1, random.nextDouble()) >= left) {
                    loads++;
                    published = Math.min(published, 1_500 - left + loadMillis);
                }
            }
        }
        return loads;
    }
}
