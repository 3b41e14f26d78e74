package io.stampedeguard.policy;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An inconsistent policy is rejected with a message that names the setting and the values. */
final class PolicyCheckTest {

    @Test
    void hardTtlBelowTheSoftTtlIsRefused() {
        assertRefused(
                policy -> policy.softTtl(ofMinutes(1)).hardTtl(ofSeconds(30)),
                "hardTtl PT30S is shorter than softTtl PT1M. Raise it, or remove it: it is twice softTtl by default");
    }

    @Test
    void messageSaysThatTheOtherTtlIsTheDefault() {
        assertRefused(
                policy -> policy.hardTtl(ofMinutes(1)),
                "hardTtl PT1M is shorter than softTtl PT5M, which is the default: set both");
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

    private interface Setting {
        CachePolicyBuilder set(CachePolicyBuilder policy, Duration length);
    }

    private static Arguments length(String name, Setting setting, Duration least, Duration most) {
        return Arguments.of(name, setting, least, most);
    }

    static Stream<Arguments> lengths() {
        Duration least = ofMillis(1);
        Duration most = ofDays(3650);
        return Stream.of(
                length("softTtl", CachePolicyBuilder::softTtl, least, most),
                length("hardTtl", CachePolicyBuilder::hardTtl, least, most),
                length("leaseTtl", CachePolicyBuilder::leaseTtl, least, most),
                length("waitTimeout", CachePolicyBuilder::waitTimeout, least, most),
                length("poll", CachePolicyBuilder::poll, least, ofHours(1)),
                length("failureCoolDown", CachePolicyBuilder::failureCoolDown, Duration.ZERO, ofHours(1)),
                length("changeMemory", CachePolicyBuilder::changeMemory, Duration.ZERO, ofHours(1)),
                length("negativeTtl", CachePolicyBuilder::negativeTtl, Duration.ZERO, ofMinutes(5)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lengths")
    void lengthOutOfItsRangeIsRefused(String name, Setting setting, Duration least, Duration most) {
        for (Duration tooShort : List.of(least.minusNanos(1), Duration.ofSeconds(Long.MIN_VALUE))) {
            assertRefused(policy -> setting.set(policy, tooShort), name + " " + tooShort + " is shorter than " + least);
        }
        for (Duration tooLong : List.of(most.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertRefused(policy -> setting.set(policy, tooLong), name + " " + tooLong + " is longer than " + most);
        }
        assertThatThrownBy(() -> setting.set(CachePolicy.builder(), null)).hasMessage(name);
    }

    @Test
    void negativeTtlOfFiveMinutesIsTheLongest() {
        assertThat(CachePolicy.builder().negativeTtl(ofMinutes(5)).build()).isNotNull();
    }

    private static void assertRefused(Consumer<CachePolicyBuilder> setting, String complaint) {
        CachePolicyBuilder builder = CachePolicy.builder();
        setting.accept(builder);

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(complaint);
    }
}
