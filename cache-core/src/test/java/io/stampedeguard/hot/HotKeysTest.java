package io.stampedeguard.hot;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.report.HotKey;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts tell of now, and the log is told of crowds only, once in a minute. */
final class HotKeysTest {
    private final VirtualTime time = new VirtualTime();
    private final HotKeys hotKeys = new HotKeys("products", time);

    @Test
    void keysAreNamedAsTheCacheKnowsThem() {
        hotKeys.waits("products:a:b");
        hotKeys.waits("products:");

        assertThat(hotKeys.top(5)).containsExactly(new HotKey("", 1), new HotKey("a:b", 1));
    }

    @Test
    void countsAreHalvedEachFiveMinutesUntilNothingIsLeft() {
        crowd("k", 100);

        time.advance(ofMinutes(5).minusNanos(1));
        assertThat(hotKeys.top(1)).containsExactly(new HotKey("k", 100));
        time.advance(ofSeconds(1));
        assertThat(hotKeys.top(1)).containsExactly(new HotKey("k", 50));
        time.advance(ofMinutes(10));
        assertThat(hotKeys.top(1)).containsExactly(new HotKey("k", 12));
        time.advance(ofMinutes(5_000));
        assertThat(hotKeys.top(1)).isEmpty();
    }

    @Test
    void crowdIsOneLineThatNamesTheKeysWithMostWaiters() {
        try (CapturedLog log = new CapturedLog()) {
            time.advance(ofSeconds(30));
            crowd("cold", 3);
            crowd("hot", 200);
            crowd("warm\n", 40);
            crowd("mild", 20);
            crowdIsOver(263);

            assertThat(lines(log))
                    .singleElement()
                    .asString()
                    .endsWith("cache 'products': 263 callers have waited for loads in the last 30 s, most of them for"
                            + " 'hot' (200), 'warm\\u{a}' (40), 'mild' (20)");
        }
    }

    @Test
    void thereIsOneLineInAMinuteHoweverManyWait() {
        try (CapturedLog log = new CapturedLog()) {
            for (int second = 0; second < 180; second++) {
                crowd("hot", 100);
                crowdIsOver(100);
                time.advance(ofSeconds(1));
            }
            assertThat(lines(log)).hasSize(3);
            assertThat(lines(log).get(0)).contains(": 100 callers", "in the last 1 s");
            assertThat(lines(log).get(1)).contains(": 6000 callers", "in the last 60 s", "'hot' (6000)");
        }
    }

    @Test
    void thoseWhoComeOneByOneAreNoCrowd() {
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 1_000; i++) {
                crowd("k", 1);
                crowdIsOver(1);
                time.advance(ofSeconds(2));
            }
            assertThat(lines(log)).isEmpty();
        }
    }

    @Test
    void crowdOfLongAgoIsNotToldAsIfItWereNow() {
        try (CapturedLog log = new CapturedLog()) {
            crowd("hot", 100);
            crowdIsOver(100);
            crowd("hot", 100);
            crowdIsOver(100);
            time.advance(ofMinutes(10));
            crowd("other", 1);
            crowdIsOver(1);

            assertThat(lines(log)).hasSize(1);
        }
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

    private static List<String> lines(CapturedLog log) {
        return log.text()
                .lines()
                .filter(line -> line.contains("callers have waited"))
                .toList();
    }
}
