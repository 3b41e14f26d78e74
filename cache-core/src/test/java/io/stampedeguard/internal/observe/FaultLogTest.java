package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each fault is counted; the log gets one line in ten seconds. */
final class FaultLogTest {
    private static final Exception FAULT = new IllegalStateException("connection refused");

    private final VirtualTime time = new VirtualTime();
    private final FaultLog faults = new FaultLog("logged", "store", time);

    /** Operators configure loggers by these names. */
    @Test
    void loggersKeepTheirNames() {
        assertThat(FaultLog.LOGGER).isEqualTo(StampedeGuardedCache.class.getName());
        assertThat(HotKeys.LOGGER).isEqualTo("io.stampedeguard.hot.HotKeys");
    }

    @Test
    void firstFaultIsLoggedAtOnceWithItsStackTrace() {
        try (CapturedLog log = new CapturedLog()) {
            faults.add(FAULT);

            assertThat(log.warningsOf("logged"))
                    .singleElement()
                    .asString()
                    .contains("cache 'logged': store fault, 1 since the cache was built");
            assertThat(log.text())
                    .contains(
                            "IllegalStateException: connection refused",
                            "at " + getClass().getName());
        }
    }

    @Test
    void thousandFaultsInTenSecondsAreOneLine() {
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 1_000; i++) {
                faults.add(FAULT);
                time.advance(Duration.ofNanos(9_999_999));
            }
            assertThat(log.warningsOf("logged")).hasSize(1);
            assertThat(faults.count()).isEqualTo(1_000);

            time.advance(Duration.ofNanos(1_000));
            faults.add(FAULT);
            assertThat(log.warningsOf("logged")).hasSize(2);
            assertThat(log.warningsOf("logged").get(1)).contains("1001 since the cache was built");
        }
    }

    @Test
    void firstFaultIsLoggedEvenIfTheClockBeganInThePastOrFuture() {
        for (long start : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE - 1}) {
            VirtualTime odd = new VirtualTime();
            odd.advance(Duration.ofNanos(start));
            try (CapturedLog log = new CapturedLog()) {
                FaultLog oddFaults = new FaultLog("odd", "store", odd);
                oddFaults.add(FAULT);
                oddFaults.add(FAULT);
                odd.advance(Duration.ofSeconds(10));
                oddFaults.add(FAULT);

                assertThat(log.warningsOf("odd")).as("clock at %d", start).hasSize(2);
            }
        }
    }

    @Test
    void faultsOfManyThreadsAtOnceAreAllCountedAndOneIsLogged() throws InterruptedException {
        try (CapturedLog log = new CapturedLog()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(new Thread(() -> {
                    for (int fault = 0; fault < 5_000; fault++) {
                        faults.add(FAULT);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(faults.count()).isEqualTo(40_000);
            assertThat(log.warningsOf("logged")).hasSize(1);
        }
    }
}
