package io.stampedeguard.policy;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The defaults of a policy, and that it returns what was set. */
final class CachePolicyTest {
    private static final CachePolicy UNUSUAL = CachePolicy.builder()
            .softTtl(ofSeconds(7))
            .hardTtl(ofSeconds(70))
            .jitter(0.5)
            .negativeTtl(ofSeconds(3))
            .leaseTtl(ofMillis(900))
            .waitTimeout(ofSeconds(4))
            .poll(ofMillis(2))
            .loadTimeout(ofSeconds(8))
            .failureCoolDown(ofMillis(3))
            .coolDownOn(IllegalStateException.class::isInstance)
            .earlyRefresh(0.5)
            .maxStalenessWhenDisconnected(ofSeconds(6))
            .maxConcurrentLoads(5)
            .originBudget(12)
            .originGuard(false)
            .maxPayloadBytes(4_096)
            .changeMemory(ofSeconds(9))
            .onStoreFailure(StoreFailureMode.THROW)
            .build();

    @Test
    void defaultsAreTheDocumentedOnes() {
        CachePolicy policy = CachePolicy.defaults();

        assertThat(policy.softTtl()).isEqualTo(ofMinutes(5));
        assertThat(policy.hardTtl()).isEqualTo(ofMinutes(10));
        assertThat(policy.servesStale()).isTrue();
        assertThat(policy.jitter()).isEqualTo(0.10);
        assertThat(policy.negativeTtl()).isEqualTo(ofSeconds(30));
        assertThat(policy.earlyRefresh()).isEqualTo(1.0);
        assertThat(policy.leaseTtl()).isEqualTo(ofSeconds(2));
        assertThat(policy.loadTimeout()).isEqualTo(ofSeconds(30));
        assertThat(policy.waitTimeout()).isEqualTo(ofSeconds(10));
        assertThat(policy.failureCoolDown()).isEqualTo(ofMillis(200));
        assertThat(policy.maxCoolDown()).isEqualTo(ofSeconds(5));
        assertThat(policy.coolDownOn().test(new IllegalStateException())).isTrue();
        assertThat(policy).asString().contains("coolDownOn=all failures");
        assertThat(policy.poll()).isEqualTo(ofMillis(10));
        assertThat(policy.maxPollInterval()).isEqualTo(ofMillis(250));
        assertThat(policy.maxStalenessWhenDisconnected()).isEqualTo(policy.hardTtl());
        assertThat(policy.maxConcurrentLoads()).isEqualTo(32);
        assertThat(policy.originBudget()).isNull();
        assertThat(policy.changeMemory()).isZero();
        assertThat(policy.onStoreFailure()).isEqualTo(StoreFailureMode.QUEUE);
        assertThat(policy.originGuard()).isTrue();
    }

    @Test
    void settingsAreKept() {
        assertThat(UNUSUAL)
                .hasToString("CachePolicy[softTtl=PT7S, hardTtl=PT1M10S, jitter=0.5, negativeTtl=PT3S,"
                        + " earlyRefresh=0.5, leaseTtl=PT0.9S, loadTimeout=PT8S, waitTimeout=PT4S, failureCoolDown=PT0.003S, coolDownOn=some failures,"
                        + " poll=PT0.002S, maxStalenessWhenDisconnected=PT6S, maxConcurrentLoads=5, originBudget=12, originGuard=false, maxPayloadBytes=4096,"
                        + " changeMemory=PT9S, onStoreFailure=THROW]");
    }

    @Test
    void predicatesOfCoolDownOnCannotBeComparedWithEachOther() {
        CachePolicy some = CachePolicy.builder().coolDownOn(failure -> true).build();
        CachePolicy others = CachePolicy.builder().coolDownOn(failure -> false).build();

        assertThat(some.differenceFrom(others)).isEmpty();
        assertThat(some.differenceFrom(CachePolicy.defaults()))
                .isEqualTo("coolDownOn some failures instead of all failures");
        assertThatThrownBy(() -> CachePolicy.builder().coolDownOn(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("coolDownOn");
    }

    @Test
    void toBuilderKeepsEverySetting() {
        assertThat(UNUSUAL.toBuilder().build()).usingRecursiveComparison().isEqualTo(UNUSUAL);
        assertThat(CachePolicy.defaults().toBuilder().build())
                .usingRecursiveComparison()
                .isEqualTo(CachePolicy.defaults());
    }

    @Test
    void hardTtlIsTwiceTheSoftTtlUnlessItIsSet() {
        assertThat(CachePolicy.builder().softTtl(ofMinutes(60)).build().hardTtl())
                .isEqualTo(ofMinutes(120));
        assertThat(CachePolicy.builder()
                        .softTtl(ofMinutes(60))
                        .softTtl(ofMinutes(1))
                        .build()
                        .hardTtl())
                .isEqualTo(ofMinutes(2));
        assertThat(CachePolicy.builder()
                        .hardTtl(ofMinutes(3))
                        .softTtl(ofMinutes(2))
                        .build()
                        .hardTtl())
                .isEqualTo(ofMinutes(3));
    }

    @Test
    void unsetHardTtlFollowsTheSoftTtlOfADerivedPolicy() {
        CachePolicy longer =
                CachePolicy.defaults().toBuilder().softTtl(ofMinutes(60)).build();

        assertThat(longer.hardTtl()).isEqualTo(ofMinutes(120));
        assertThat(UNUSUAL.toBuilder().softTtl(ofSeconds(8)).build().hardTtl()).isEqualTo(ofSeconds(70));
    }

    @Test
    void softTtlOfADerivedPolicyLimitsAnUnsetNegativeTtl() {
        CachePolicy brief = CachePolicy.builder().softTtl(ofSeconds(5)).build();
        CachePolicy longer = brief.toBuilder().softTtl(ofMinutes(60)).build();

        assertThat(brief.negativeTtl()).isEqualTo(ofSeconds(5));
        assertThat(longer.negativeTtl()).isEqualTo(ofSeconds(30));
        assertThat(UNUSUAL.toBuilder().softTtl(ofSeconds(1)).build().negativeTtl())
                .isEqualTo(ofSeconds(3));
    }

    @Test
    void pausesDoubleUpToTwentyFiveTimesTheFirstAndAnHour() {
        CachePolicy brief = CachePolicy.builder()
                .poll(ofMillis(4))
                .failureCoolDown(ofMinutes(1))
                .build();
        CachePolicy longer = brief.toBuilder()
                .poll(ofMinutes(60))
                .failureCoolDown(ofMinutes(3))
                .build();

        assertThat(brief.maxPollInterval()).isEqualTo(ofMillis(100));
        assertThat(brief.maxCoolDown()).isEqualTo(ofMinutes(25));
        assertThat(longer.maxPollInterval()).isEqualTo(ofMinutes(60));
        assertThat(longer.maxCoolDown()).isEqualTo(ofMinutes(60));
    }

    @Test
    void equalTtlsMeanNothingIsServedStale() {
        CachePolicy policy = CachePolicy.builder()
                .softTtl(ofSeconds(5))
                .hardTtl(ofSeconds(5))
                .build();

        assertThat(policy.servesStale()).isFalse();
    }
}
