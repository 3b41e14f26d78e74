package io.stampedeguard.internal.observe;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.stampedeguard.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts are current, and only crowds are logged, once a minute. */
final class HotKeysTest {
    private final VirtualTime time = new VirtualTime();
    private final List<String> log = new ArrayList<>();
    private final HotKeys hotKeys = new HotKeys("products", time, log::add);

    @Test
    void keysAreNamedAsTheCacheKnowsThem() {
        hotKeys.waits("products:a:b");
        hotKeys.waits("products:");

        assertThat(hotKeys.top(5)).containsExactly(entry("", 1L), entry("a:b", 1L));
    }

    @Test
    void countsAreHalvedEachFiveMinutesUntilNothingIsLeft() {
        crowd("k", 100);

        time.advance(ofMinutes(5).minusNanos(1));
        assertThat(hotKeys.top(1)).containsExactly(entry("k", 100L));
        time.advance(ofSeconds(1));
        assertThat(hotKeys.top(1)).containsExactly(entry("k", 50L));
        time.advance(ofMinutes(10));
        assertThat(hotKeys.top(1)).containsExactly(entry("k", 12L));
        time.advance(ofMinutes(5_000));
        assertThat(hotKeys.top(1)).isEmpty();
    }

    @Test
    void crowdIsOneLineThatNamesTheKeysWithMostWaiters() {
        time.advance(ofSeconds(30));
        crowd("cold", 3);
        crowd("hot", 200);
        crowd("warm\n", 40);
        crowd("mild", 20);
        crowdIsOver(263);

        assertThat(log)
                .singleElement()
                .asString()
                .isEqualTo("cache 'products': 263 waits for loads in the last 30 s, most of them for"
                        + " 'hot' (200), 'warm\\u{a}' (40), 'mild' (20)");
    }

    @Test
    void thereIsOneLineInAMinuteHoweverManyWait() {
        for (int second = 0; second < 180; second++) {
            crowd("hot", 100);
            crowdIsOver(100);
            time.advance(ofSeconds(1));
        }
        assertThat(log).hasSize(3);
        assertThat(log.get(0)).contains(": 100 waits", "in the last 1 s");
        assertThat(log.get(1)).contains(": 6000 waits", "in the last 60 s", "'hot' (6000)");
    }

    @Test
    void thoseWhoComeOneByOneAreNoCrowd() {
        for (int i = 0; i < 1_000; i++) {
            crowd("k", 1);
            crowdIsOver(1);
            time.advance(ofSeconds(2));
        }
        assertThat(log).isEmpty();
    }

    @Test
    void crowdOfLongAgoIsNotToldAsIfItWereNow() {
        crowd("hot", 100);
        crowdIsOver(100);
        crowd("hot", 100);
        crowdIsOver(100);
        time.advance(ofMinutes(10));
        crowd("other", 1);
        crowdIsOver(1);

        assertThat(log).hasSize(1);
    }

    private void crowd(String key, int callers) {
        for (int i = 0; i < callers; i++) {
            hotKeys.waits("products:" + key);
        }
    }

    private void crowdIsOver(int callers) {
        for (int i = 0; i < callers; i++) {
            hotKeys.waited();
        }
    }
}
