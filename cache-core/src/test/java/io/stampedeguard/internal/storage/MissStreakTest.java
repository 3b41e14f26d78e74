package io.stampedeguard.internal.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MissStreakTest {
    private final MissStreak misses = new MissStreak();

    private void reads(int rounds, int missesEach) {
        for (int round = 0; round < rounds; round++) {
            for (int miss = 0; miss < missesEach; miss++) {
                misses.missed();
            }
            misses.hit();
        }
    }

    @Test
    void itIsHighAfterEightMisses() {
        for (int miss = 0; miss < 8; miss++) {
            assertThat(misses.isHigh()).isFalse();
            misses.missed();
        }
        assertThat(misses.isHigh()).isTrue();
    }

    @Test
    void itIsLowAfterThreeHitsHoweverManyMissesCameBefore() {
        for (int miss = 0; miss < 1_000; miss++) {
            misses.missed();
        }
        misses.hit();
        misses.hit();
        assertThat(misses.isHigh()).isTrue();
        misses.hit();
        assertThat(misses.isHigh()).isFalse();
    }

    @Test
    void oneHitInTenReadsLeavesItHighAndOneInThreeNever() {
        reads(10, 9);
        assertThat(misses.isHigh()).isTrue();
        reads(10, 2);
        assertThat(misses.isHigh()).isFalse();
    }
}
