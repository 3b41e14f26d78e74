package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the log says about a store, however many caches and faults there are. */
final class StoreLogTest {
    private static final StoreException REFUSED =
            new StoreException("could not publish 'store-log-test:1': OOM command not allowed");

    private final VirtualTime time = new VirtualTime();
    private final StoreLog log = new StoreLog(logger("store-log-test"), time);
    private final Breaker breaker = new Breaker();

    /** A circuit breaker whose state the test sets. */
    private static final class Breaker implements BreakerEvents {
        private BreakerState state = BreakerState.CLOSED;

        @Override
        public BreakerState breaker() {
            return state;
        }

        @Override
        public String condition() {
            return "Redis at a:1 does not answer: Connection refused";
        }

        @Override
        public Watch watchBreaker(Consumer<BreakerState> listener) {
            return () -> {};
        }
    }

    private static String logger(String name) {
        System.setProperty("org.slf4j.simpleLogger.log." + name, "info");
        return name;
    }

    private static List<String> lines(CapturedLog captured) {
        return captured.text()
                .lines()
                .filter(line -> line.contains("store-log-test"))
                .toList();
    }

    /** Tests that run at the same time may write their own. */
    private static void assertNoStackTrace(CapturedLog captured) {
        assertThat(captured.text().lines()).noneMatch(line -> line.startsWith(REFUSED.toString()));
    }

    private void turn(BreakerState state) {
        breaker.state = state;
        log.breaker(breaker);
        log.breaker(breaker); // each cache says so
    }

    private void second() {
        log.failed("a", REFUSED);
        log.failed("b", REFUSED);
        log.answeredFromMemory();
        log.answeredFromMemory();
        log.loaded();
        time.advance(Duration.ofSeconds(1));
    }

    @Test
    void outageIsLoggedWhenItBeginsAndEndsAndEachMinute() {
        try (CapturedLog captured = new CapturedLog()) {
            turn(BreakerState.OPEN);
            assertThat(lines(captured))
                    .singleElement()
                    .asString()
                    .contains("WARN", "Redis at a:1 does not answer: Connection refused", "requests fail at once");
            for (int i = 0; i < 150; i++) {
                second();
                turn(i % 2 == 0 ? BreakerState.HALF_OPEN : BreakerState.OPEN);
            }
            assertThat(lines(captured)).as("after one minute, and two").hasSize(3);
            assertThat(lines(captured).get(1))
                    .contains("WARN", "for 60 s: 121 requests failed, 120 answers came from memory, and 60 loads ran");

            turn(BreakerState.CLOSED);

            assertThat(lines(captured)).hasSize(4);
            assertThat(lines(captured).get(3))
                    .contains(
                            "INFO",
                            "answers again, after 150 s",
                            "300 requests failed, 300 answers came from memory, and 150 loads ran");
            assertNoStackTrace(captured);
        }
    }

    @Test
    void flappingServerIsTwoLinesAMinute() {
        try (CapturedLog captured = new CapturedLog()) {
            for (int i = 0; i < 600; i++) {
                turn(BreakerState.OPEN);
                time.advance(Duration.ofMillis(100));
                turn(BreakerState.CLOSED);
                time.advance(Duration.ofMillis(100));
            }
            assertThat(lines(captured)).as("in two minutes").hasSize(2 * 2);
        }
    }

    @Test
    void outageThatBeginsRightAfterAnotherIsReportedWithinAMinute() {
        try (CapturedLog captured = new CapturedLog()) {
            turn(BreakerState.OPEN);
            turn(BreakerState.CLOSED);
            turn(BreakerState.OPEN);
            assertThat(lines(captured)).hasSize(2);
            for (int i = 0; i < 61; i++) {
                second();
            }
            assertThat(lines(captured)).hasSize(3);
            assertThat(lines(captured).get(2)).contains("requests fail at once");

            turn(BreakerState.CLOSED);

            assertThat(lines(captured)).hasSize(4);
        }
    }

    @Test
    void refusalsAreLoggedAtOnceAndThenEachMinute() {
        try (CapturedLog captured = new CapturedLog()) {
            for (int i = 0; i < 150; i++) {
                second();
            }
            assertThat(lines(captured)).hasSize(3);
            assertThat(lines(captured).get(0)).contains("WARN", "cache 'a': store fault", "OOM command not allowed");
            assertThat(lines(captured).get(1)).endsWith("(120 since the last such line)");
            assertNoStackTrace(captured);
        }
    }

    @Test
    void outageThatEndedBeforeItWasNotedIsOver() {
        BreakerEvents closing = new BreakerEvents() {
            private int asked;

            @Override
            public BreakerState breaker() {
                return asked++ == 0 ? BreakerState.OPEN : BreakerState.CLOSED;
            }

            @Override
            public Watch watchBreaker(Consumer<BreakerState> listener) {
                return () -> {};
            }
        };

        log.breaker(closing);

        assertThat(log.isOutage()).isFalse();
    }
}
