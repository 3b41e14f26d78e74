package io.stampedeguard.loader;

import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.testkit.StillTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Explores the schedules of three callers with a key each, switch by switch, for one that breaks a promise, or in which one waits
 * for ever. Plain conditions instead of assertions, because Lincheck instruments this code.
 */
@ExploresSchedules
class GatheringLoaderLincheckTest {
    private static final int MANY = 10;

    @Test
    void eachCallerIsAnsweredAndNothingIsLeft() {
        inEachSchedule(() -> new Round(Window.PATIENT, Trouble.NONE, MANY), 0);
    }

    @Test
    void eachCallerIsAnsweredIfBatchesAreFull() {
        inEachSchedule(() -> new Round(Window.PATIENT, Trouble.NONE, 2), 0);
    }

    @Test
    void eachCallerIsAnsweredIfWindowsAreOverAtOnce() {
        inEachSchedule(() -> new Round(Window.OVER, Trouble.NONE, MANY), 0);
    }

    @Test
    void leaderThatIsInterruptedInItsCallFailsAlone() {
        inEachSchedule(() -> new Round(Window.PATIENT, Trouble.INTERRUPTED_CALL, MANY), 1);
    }

    @Test
    void interruptedLeaderFailsAloneIfWindowsAreOverAtOnce() {
        inEachSchedule(() -> new Round(Window.OVER, Trouble.INTERRUPTED_CALL, MANY), 1);
    }

    @Test
    void callThatFailsFailsForItsKeysOnly() {
        inEachSchedule(() -> new Round(Window.PATIENT, Trouble.FAILED_CALL, MANY), 3);
    }

    @Test
    void callerThatIsInterruptedWhileItWaitsFailsAlone() {
        inEachSchedule(() -> new Round(Window.PATIENT, Trouble.INTERRUPTED_WAIT, MANY), 1);
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 20;
    }

    private void inEachSchedule(Supplier<Round> round, int mostFailures) {
        Round.useEachClass();
        Schedules.explore(schedules(), () -> round.get().isAnswered(mostFailures));
    }

    private enum Window {
        PATIENT,
        OVER
    }

    private enum Trouble {
        NONE,
        /** The first call is interrupted. */
        INTERRUPTED_CALL,
        /** The first call fails. */
        FAILED_CALL,
        /** The second caller is interrupted as soon as it waits. */
        INTERRUPTED_WAIT
    }

    /** The waits of a round. */
    private record Waits(Window window, Trouble trouble) implements StillTime {
        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            if (trouble == Trouble.INTERRUPTED_WAIT && ((Caller) Thread.currentThread()).number == 1) {
                throw new InterruptedException();
            }
            if (nanos == Long.MAX_VALUE || window == Window.PATIENT) {
                latch.await();
            }
            return latch.getCount() == 0;
        }
    }

    /** An origin with a counter that grows, and three callers that read it. */
    private static final class Round implements BulkLoader<String, LoadedValue<Integer>> {
        private final AtomicInteger counter = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicInteger failedKeys = new AtomicInteger();
        private final Trouble trouble;
        private final GatheringLoader<String, Integer> loader;
        private @Nullable CountDownLatch answers;

        Round(Window window, Trouble trouble, int maxKeys) {
            this.trouble = trouble;
            this.loader = new GatheringLoader<>(this, maxKeys, Duration.ofMillis(1), new Waits(window, trouble));
        }

        /** Takes each path once, whatever the speed of the threads: {@link Schedules#explore} says why. */
        static void useEachClass() {
            for (Window window : Window.values()) {
                for (Trouble trouble : Trouble.values()) {
                    Round round = new Round(window, trouble, MANY);
                    round.answers = new CountDownLatch(1);
                    List<Caller> callers = round.callers();
                    for (Caller each : callers) {
                        each.start();
                        while (each.getState() != Thread.State.WAITING && each.getState() != Thread.State.TERMINATED) {
                            Thread.onSpinWait();
                        }
                    }
                    round.answers.countDown();
                    callers.forEach(Schedules::join);
                }
            }
        }

        private List<Caller> callers() {
            return List.of(new Caller(this, 0), new Caller(this, 1), new Caller(this, 2));
        }

        /** Returns whether no more callers failed than may, and no answer is older than its call. */
        boolean isAnswered(int mostFailures) {
            List<Caller> callers = callers();
            for (int i = 0; i < callers.size(); i++) {
                callers.get(i).start();
            }
            int failures = 0;
            boolean isRight = true;
            for (int i = 0; i < callers.size(); i++) {
                Schedules.join(callers.get(i));
                failures += callers.get(i).hasFailed ? 1 : 0;
                isRight &= callers.get(i).hasFailed || callers.get(i).isRight;
            }
            boolean isOfItsKeys = trouble != Trouble.FAILED_CALL || failures == failedKeys.get();
            boolean isOfItsCaller = trouble != Trouble.INTERRUPTED_WAIT || failures == 0 || callers.get(1).hasFailed;
            return isRight && failures <= mostFailures && isOfItsKeys && isOfItsCaller && loader.isIdle();
        }

        @Override
        public Map<String, LoadedValue<Integer>> loadAll(Set<String> keys) throws Exception {
            int read = counter.incrementAndGet();
            if (answers != null) {
                answers.await();
            }
            boolean isFirst = calls.getAndIncrement() == 0;
            if (isFirst && trouble == Trouble.INTERRUPTED_CALL) {
                throw new InterruptedException();
            }
            if (isFirst && trouble == Trouble.FAILED_CALL) {
                failedKeys.set(keys.size());
                throw new IllegalStateException();
            }
            Map<String, LoadedValue<Integer>> values = new HashMap<>();
            for (String key : keys) {
                values.put(key, LoadedValue.of(read));
            }
            return values;
        }
    }

    private static final class Caller extends Thread {
        private final Round round;
        private final int number;
        private boolean isRight;
        private boolean hasFailed;

        Caller(Round round, int number) {
            this.round = round;
            this.number = number;
        }

        @Override
        public void run() {
            int before = round.counter.incrementAndGet();
            try {
                Integer value = round.loader.load("key " + number, null).value();
                isRight = value != null && value > before;
            } catch (Exception ofThisCaller) {
                hasFailed = true;
            }
        }
    }
}
