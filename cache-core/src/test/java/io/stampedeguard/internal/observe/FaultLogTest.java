package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each fault is counted; the log gets a stack trace for each kind, and one line a minute. */
final class FaultLogTest {
    private static final Exception FAULT = new IllegalStateException("unknown field");

    private final VirtualTime time = new VirtualTime();
    private final FaultLog faults = new FaultLog("logged", "codec", time);

    private static void add(FaultLog to, Throwable fault) {
        to.add(fault, "'k' is not stored");
    }

    /** Operators configure loggers by these names. */
    @Test
    void loggersKeepTheirNames() {
        assertThat(FaultLog.LOGGER).isEqualTo(StampedeGuardedCache.class.getName());
        assertThat(HotKeys.LOGGER).isEqualTo("io.stampedeguard.hot.HotKeys");
    }

    @Test
    void noControlCharacterOfADeepOrWideFaultIsLogged() {
        Exception forged = new IllegalStateException("\u001b[31m\nforged");
        Exception deep = forged;
        Exception wide = new IllegalStateException("wide");
        for (int i = 0; i < 60; i++) {
            deep = new IllegalStateException("deep", deep);
            wide.addSuppressed(i == 55 ? forged : new IllegalStateException("narrow"));
        }
        try (CapturedLog log = new CapturedLog()) {
            add(faults, deep);
            add(new FaultLog("logged", "loader", time), wide);

            assertThat(log.text()).contains("deep", "wide").doesNotContain("\u001b", "\nforged");
        }
    }

    /** A class that computes its texts may fail when the logger asks, or answer otherwise than before. */
    @Test
    void methodsOfAFaultThatThrowAreNotLeftToTheLogger() {
        RuntimeException withoutCause = new IllegalStateException("first") {
            private static final long serialVersionUID = 1;

            @Override
            public synchronized Throwable getCause() {
                throw new IllegalArgumentException("no cause");
            }
        };
        RuntimeException changing = new IllegalStateException() {
            private static final long serialVersionUID = 1;

            private int asked;

            @Override
            public String getMessage() {
                return asked++ == 0 ? "plain" : "\u001b[31m\nforged";
            }
        };
        changing.addSuppressed(withoutCause);
        try (CapturedLog log = new CapturedLog()) {
            add(faults, withoutCause);
            add(faults, new IllegalArgumentException("outer", changing));
            add(faults, withoutCause);

            assertThat(faults.count()).isEqualTo(3);
            assertThat(log.warningsOf("logged")).hasSize(2);
            assertThat(log.text())
                    .contains(": first", "IllegalArgumentException: outer", ": plain", "Suppressed: ")
                    .contains("at " + getClass().getName())
                    .doesNotContain("\u001b", "\nforged");
        }
    }

    @Test
    void firstFaultIsLoggedAtOnceWithItsStackTrace() {
        try (CapturedLog log = new CapturedLog()) {
            add(faults, FAULT);

            assertThat(log.warningsOf("logged"))
                    .singleElement()
                    .asString()
                    .endsWith("cache 'logged': codec fault, 'k' is not stored");
            assertThat(log.text())
                    .contains(
                            "IllegalStateException: unknown field",
                            "at " + getClass().getName());
        }
    }

    @Test
    void eachKindHasOneStackTraceAndEachMinuteOneLine() {
        try (CapturedLog log = new CapturedLog()) {
            for (int second = 0; second < 150; second++) {
                add(faults, FAULT);
                add(faults, new UnsupportedOperationException("of another kind"));
                time.advance(Duration.ofSeconds(1));
            }
            assertThat(faults.count()).isEqualTo(300);
            assertThat(log.warningsOf("logged"))
                    .as("two kinds, then after a minute, and after two")
                    .hasSize(2 + 2);
            assertThat(log.warningsOf("logged").get(2))
                    .contains("'k' is not stored: java.lang.")
                    .endsWith("(120 since the last such line)");
            assertThat(log.text()
                            .lines()
                            .filter(line ->
                                    line.contains("at " + getClass().getName()) && line.contains("eachKindHas")))
                    .as("stack traces")
                    .hasSize(1);
        }
    }

    @Test
    void firstFaultIsLoggedWhateverTheClockBeginsAt() {
        for (long start : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE - 1}) {
            VirtualTime odd = new VirtualTime();
            odd.advance(Duration.ofNanos(start));
            try (CapturedLog log = new CapturedLog()) {
                FaultLog oddFaults = new FaultLog("odd", "codec", odd);
                add(oddFaults, FAULT);
                add(oddFaults, FAULT);
                odd.advance(Duration.ofMinutes(1));
                add(oddFaults, FAULT);

                assertThat(log.warningsOf("odd")).as("clock at %d", start).hasSize(2);
            }
        }
    }

    @Test
    void faultsOfManyThreadsAtOnceAreAllCounted() throws InterruptedException {
        try (CapturedLog log = new CapturedLog()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(new Thread(() -> {
                    for (int fault = 0; fault < 5_000; fault++) {
                        add(faults, FAULT);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(faults.count()).isEqualTo(40_000);
            assertThat(log.warningsOf("logged"))
                    .as("with its stack trace")
                    .filteredOn(line -> line.endsWith("'k' is not stored"))
                    .hasSize(1);
            assertThat(log.warningsOf("logged"))
                    .as("and one for those that overtook it, if there was any")
                    .hasSizeLessThanOrEqualTo(2);
        }
    }
}
