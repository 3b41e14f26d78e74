package io.stampedeguard.policy;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** An inconsistent policy is rejected with a message that names the setting and the values. */
final class PolicyCheckTest {
    private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration ENDLESSLY_AGO = Duration.ofSeconds(Long.MIN_VALUE);

    @Test
    void hardTtlBelowTheSoftTtlIsRefused() {
        assertRefused(
                policy -> policy.softTtl(ofMinutes(1)).hardTtl(ofSeconds(30)),
                "hardTtl PT30S is shorter than softTtl PT1M");
    }

    @Test
    void messageSaysThatTheOtherTtlIsTheDefault() {
        assertRefused(
                policy -> policy.hardTtl(ofMinutes(1)),
                "hardTtl PT1M is shorter than softTtl PT5M, which is the default: set both");
    }

    @Test
    void lengthBelowAMillisecondIsRefused() {
        Duration tooShort = ofNanos(999_999);

        assertRefused(policy -> policy.softTtl(tooShort), "softTtl PT0.000999999S is shorter than PT0.001S");
        assertRefused(policy -> policy.softTtl(Duration.ZERO), "softTtl PT0S is shorter than PT0.001S");
        assertRefused(policy -> policy.hardTtl(tooShort), "hardTtl PT0.000999999S is shorter than PT0.001S");
        assertRefused(policy -> policy.leaseTtl(tooShort), "leaseTtl PT0.000999999S is shorter than PT0.001S");
        assertRefused(policy -> policy.waitTimeout(tooShort), "waitTimeout PT0.000999999S is shorter than PT0.001S");
        assertRefused(policy -> policy.poll(tooShort), "poll PT0.000999999S is shorter than PT0.001S");
    }

    @Test
    void lengthOfTooManyYearsIsRefused() {
        Duration tooLong = ofDays(3650).plusNanos(1);

        assertRefused(policy -> policy.softTtl(tooLong), "softTtl PT87600H0.000000001S is longer than PT87600H");
        assertRefused(policy -> policy.hardTtl(tooLong), "hardTtl PT87600H0.000000001S is longer than PT87600H");
        assertRefused(policy -> policy.leaseTtl(tooLong), "leaseTtl PT87600H0.000000001S is longer than PT87600H");
        assertRefused(
                policy -> policy.waitTimeout(tooLong), "waitTimeout PT87600H0.000000001S is longer than PT87600H");
    }

    @Test
    void pauseOfMoreThanAnHourIsRefused() {
        Duration tooLong = ofMinutes(60).plusNanos(1);

        assertRefused(policy -> policy.poll(tooLong), "poll PT1H0.000000001S is longer than PT1H");
        assertRefused(
                policy -> policy.failureCoolDown(tooLong), "failureCoolDown PT1H0.000000001S is longer than PT1H");
        assertRefused(policy -> policy.failureCoolDown(ofMillis(-1)), "failureCoolDown PT-0.001S is shorter than PT0S");
    }

    @Test
    void lengthThatNoNumberOfNanosecondsHoldsIsRefusedInTheSameWords() {
        assertRefused(policy -> policy.softTtl(ENDLESS), "softTtl " + ENDLESS + " is longer than PT87600H");
        assertRefused(
                policy -> policy.softTtl(ENDLESSLY_AGO), "softTtl " + ENDLESSLY_AGO + " is shorter than PT0.001S");
        assertRefused(policy -> policy.hardTtl(ENDLESS), "hardTtl " + ENDLESS + " is longer than PT87600H");
        assertRefused(policy -> policy.leaseTtl(ENDLESS), "leaseTtl " + ENDLESS + " is longer than PT87600H");
        assertRefused(policy -> policy.waitTimeout(ENDLESS), "waitTimeout " + ENDLESS + " is longer than PT87600H");
        assertRefused(policy -> policy.negativeTtl(ENDLESS), "negativeTtl " + ENDLESS + " is longer than PT5M");
        assertRefused(policy -> policy.poll(ENDLESS), "poll " + ENDLESS + " is longer than PT1H");
    }

    @Test
    void negativeTtlOfMoreThanFiveMinutesIsRefused() {
        assertRefused(
                policy -> policy.negativeTtl(ofMinutes(5).plusMillis(1)), "negativeTtl PT5M0.001S is longer than PT5M");
        assertRefused(policy -> policy.negativeTtl(ofMillis(-1)), "negativeTtl PT-0.001S is shorter than PT0S");
        assertThat(CachePolicy.builder().negativeTtl(ofMinutes(5)).build()).isNotNull();
    }

    @Test
    void jitterThatIsNoShareIsRefused() {
        assertRefused(policy -> policy.jitter(1), "jitter 1.0 is not in [0, 1)");
        assertRefused(policy -> policy.jitter(-0.01), "jitter -0.01 is not in [0, 1)");
        assertRefused(policy -> policy.jitter(Double.NaN), "jitter NaN is not in [0, 1)");
        assertRefused(policy -> policy.jitter(Double.POSITIVE_INFINITY), "jitter Infinity is not in [0, 1)");
    }

    @Test
    void noLoadsAtAllIsRefused() {
        assertRefused(policy -> policy.maxConcurrentLoads(0), "maxConcurrentLoads 0 is less than 1");
        assertRefused(policy -> policy.originBudget(0), "originBudget 0 is less than 1");
    }

    @Test
    void missingLengthIsRefusedAtOnce() {
        CachePolicyBuilder policy = CachePolicy.builder();

        assertThatThrownBy(() -> policy.softTtl(null)).hasMessage("softTtl");
        assertThatThrownBy(() -> policy.hardTtl(null)).hasMessage("hardTtl");
        assertThatThrownBy(() -> policy.negativeTtl(null)).hasMessage("negativeTtl");
        assertThatThrownBy(() -> policy.leaseTtl(null)).hasMessage("leaseTtl");
        assertThatThrownBy(() -> policy.waitTimeout(null)).hasMessage("waitTimeout");
        assertThatThrownBy(() -> policy.poll(null)).hasMessage("poll");
        assertThatThrownBy(() -> policy.failureCoolDown(null)).hasMessage("failureCoolDown");
    }

    private static void assertRefused(Consumer<CachePolicyBuilder> setting, String complaint) {
        CachePolicyBuilder builder = CachePolicy.builder();
        setting.accept(builder);

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(complaint);
    }
}
