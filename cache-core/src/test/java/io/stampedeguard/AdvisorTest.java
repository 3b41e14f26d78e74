package io.stampedeguard;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.testkit.Fleet;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What advice an operator gets on the policy alone, with which figures, and that it is given once. */
final class AdvisorTest {
    private final Map<EventType, String> told = new EnumMap<>(EventType.class);

    private final CacheListener listener = new CacheListener() {
        @Override
        public void onEvent(String cache, CacheEvent event) {
            if (event instanceof CacheEvent.Advice advice) {
                assertThat(told.put(advice.type(), advice.words()))
                        .as("told twice")
                        .isNull();
            }
        }
    };

    private void open(CachePolicyBuilder policy) {
        new Fleet(1, policy.build(), cache -> cache.listener(listener)).close();
    }

    private static CachePolicyBuilder policy() {
        return CachePolicy.builder()
                .softTtl(ofMinutes(1))
                .hardTtl(ofMinutes(10))
                .loadTimeout(ofMinutes(5));
    }

    @Test
    void negativesThatOutliveValuesAreToldOfWhenTheCacheIsBuilt() {
        open(policy().softTtl(ofSeconds(5)).negativeTtl(ofSeconds(30)));

        assertThat(told)
                .containsOnlyKeys(EventType.ADVICE_NEGATIVE_LONGER_THAN_VALUES)
                .hasEntrySatisfying(
                        EventType.ADVICE_NEGATIVE_LONGER_THAN_VALUES,
                        words -> assertThat(words).startsWith("negativeTtl PT30S is longer than softTtl PT5S"));
    }

    @Test
    void softTtlOfASecondIsNoCauseForAdvice() {
        open(policy().softTtl(ofSeconds(1)));

        assertThat(told).isEmpty();
    }

    @Test
    void defaultPolicyIsNoCauseForAdvice() {
        open(CachePolicy.builder());

        assertThat(told).isEmpty();
    }
}
