package io.stampedeguard.demo.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttackWatchTest {
    @Test
    void aRealKeyHasItsOwnProductAndNoOther() {
        assertThat(AttackWatch.isRight(12, "{\"id\":12,\"name\":\"Product 12\"}"))
                .isTrue();
        assertThat(AttackWatch.isRight(12, "{\"id\":1,\"name\":\"Product 1\"}")).isFalse();
        assertThat(AttackWatch.isRight(1, "{\"id\":12,\"name\":\"Product 12\"}"))
                .isFalse();
        assertThat(AttackWatch.isRight(12, null)).isFalse();
        assertThat(AttackWatch.isRight(NewRows.FIRST, null)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -12, 10_001, 999_999_999})
    void aNonexistentKeyHasNone(long key) {
        assertThat(AttackWatch.isRight(key, null)).isTrue();
        assertThat(AttackWatch.isRight(key, "{\"id\":" + key + "}")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stampede-demo-1x:penetration-plain:10001",
                "stampede-demo-1x:{penetration-guarded:-10002}",
                "stampede-demo-1x:{penetration-guarded-filter:999999999}"
            })
    void entriesOfNonexistentKeysAreKnownByTheirNames(String redisKey) {
        assertThat(AttackWatch.isNonexistentEntry(redisKey)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stampede-demo-1x:penetration-plain:10000",
                "stampede-demo-1x:{penetration-guarded:1}",
                "stampede-demo-1x:{penetration-guarded-filter:1000000000}",
                "stampede-demo-1x:{penetration-guarded:10001}:lease",
                "stampede-demo-1x:{penetration-guarded-filter:filter:07}:state",
                "stampede-demo-1x:rows:1"
            })
    void noOtherKeysAreTakenForThem(String redisKey) {
        assertThat(AttackWatch.isNonexistentEntry(redisKey)).isFalse();
    }
}
