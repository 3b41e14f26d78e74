package io.stampedeguard.redis.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreClockTest {
    private static final Duration AHEAD = Duration.ofMinutes(15);

    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicReference<Supplier<Long>> server = new AtomicReference<>(this::told);
    private final StoreClock clock = new StoreClock(time, patience -> {
        asked.incrementAndGet();
        return server.get().get();
    });

    @Test
    void itIsTheServersClockAndNotTheLocalOne() {
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());
        time.advance(Duration.ofSeconds(7));
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());
        assertThat(asked).hasValue(1);
    }

    @Test
    void theAnswerWasMadeHalfwayBetweenSendingAndReceiving() {
        server.set(() -> {
            time.advance(Duration.ofMillis(50));
            long told = told();
            time.advance(Duration.ofMillis(50));
            return told;
        });
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());
    }

    /** It took 3 s in all: on its way to the server, on its way back, or both. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 500, 1_500, 2_999, 3_000})
    void slowAnswerNeverPutsTheLeastTimeAheadOfTheServer(long millisThere) {
        long sent = time.monotonicNanos();
        time.advance(Duration.ofMillis(millisThere));
        long told = told();
        time.advance(Duration.ofMillis(3_000 - millisThere));

        clock.learn(told, sent);

        assertThat(clock.leastTimeMillis()).isEqualTo(serverMillis() - (3_000 - millisThere));
        time.advance(Duration.ofSeconds(20));
        assertThat(clock.leastTimeMillis()).isEqualTo(serverMillis() - (3_000 - millisThere));
        clock.learn(told(), time.monotonicNanos());
        assertThat(clock.leastTimeMillis()).as("after a quick answer").isEqualTo(serverMillis());
        assertThat(asked).hasValue(0);
    }

    @Test
    void leastTimeIsUnknownBeforeTheFirstAnswer() {
        assertThat(clock.leastTimeMillis()).isZero();
        assertThat(asked).hasValue(0);
    }

    @Test
    void anAnswerThatCarriesTheClockSparesTheQuestion() {
        clock.learn(told(), time.monotonicNanos());
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());
        time.advance(Duration.ofMillis(29_999));
        clock.currentTimeMillis();
        assertThat(asked).hasValue(0);
    }

    @Test
    void aSlowAnswerDoesNotReplaceARecentQuickOne() {
        clock.learn(told(), time.monotonicNanos());
        long sent = time.monotonicNanos();
        long early = told();
        time.advance(Duration.ofSeconds(2));

        clock.learn(early, sent);
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());

        time.advance(Duration.ofSeconds(28));
        clock.learn(told(), time.monotonicNanos() - 1_000_000);
        clock.currentTimeMillis();
        assertThat(asked).hasValue(0);
    }

    @Test
    void aJumpInEitherDirectionIsKnownFromTheNextAnswer() {
        for (Duration jump : List.of(Duration.ofHours(1), Duration.ofHours(-2), Duration.ofSeconds(-3))) {
            clock.learn(told(), time.monotonicNanos());

            clock.learn(told() + jump.toNanos(), time.monotonicNanos());

            assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis() + jump.toMillis());
        }
        assertThat(asked).hasValue(0);
    }

    @Test
    void anAnswerThatProvesTheKnownTimeWrongReplacesItHoweverSlow() {
        clock.learn(told(), time.monotonicNanos());
        long sent = time.monotonicNanos();
        time.advance(Duration.ofSeconds(4));
        long halfway = told() - TimeUnit.SECONDS.toNanos(2);
        long jump = TimeUnit.SECONDS.toNanos(2); // less than such a round trip leaves uncertain

        clock.learn(halfway - jump, sent);
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());
        clock.correct(halfway - jump, sent);
        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis() - 2_000);
    }

    @Test
    void aSlowAnswerReplacesAQuickOneIfBothCannotBeTrue() {
        clock.learn(told(), time.monotonicNanos());
        Duration later = Duration.ofSeconds(5); // the server's clock was set, or this is another server

        time.advance(Duration.ofSeconds(2));
        clock.learn(told() - TimeUnit.SECONDS.toNanos(1) + later.toNanos(), time.monotonicNanos() - 2_000_000_000L);

        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis() + later.toMillis());
    }

    @Test
    void itAsksAgainAfterThirtySeconds() {
        clock.currentTimeMillis();
        time.advance(Duration.ofSeconds(30));
        clock.currentTimeMillis();
        clock.currentTimeMillis();
        assertThat(asked).hasValue(2);
    }

    @Test
    void unansweredClockKeepsItsTimeAndAsksEachFiveSeconds() {
        clock.currentTimeMillis();
        server.set(StoreClockTest::unanswered);
        for (int second = 0; second < 41; second++) {
            assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(asked).as("at 0, 30, 35 and 40 s").hasValue(4);
    }

    @Test
    void withoutAnyAnswerTheLocalClockHasToDo() {
        server.set(StoreClockTest::unanswered);
        assertThat(clock.currentTimeMillis()).isEqualTo(time.wallMillis());
        clock.currentTimeMillis();
        assertThat(asked).hasValue(1);
    }

    @Test
    void oneThreadAsksAndOthersWaitOnlyForTheFirstAnswer() throws Exception {
        CountDownLatch questionArrived = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        server.set(() -> {
            questionArrived.countDown();
            Fleet.await(answer);
            return told();
        });
        FutureTask<Long> first = started();
        questionArrived.await();
        FutureTask<Long> second = started();
        time.awaitWaiting(1);

        answer.countDown();

        assertThat(first.get()).isEqualTo(serverMillis());
        assertThat(second.get()).isEqualTo(serverMillis());
        assertThat(asked).hasValue(1);
    }

    @Test
    void whileOneAsksAgainTheOthersGoOn() throws Exception {
        clock.currentTimeMillis();
        time.advance(Duration.ofSeconds(31));
        CountDownLatch questionArrived = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        server.set(() -> {
            questionArrived.countDown();
            Fleet.await(answer);
            return told();
        });
        FutureTask<Long> asker = started();
        questionArrived.await();

        assertThat(clock.currentTimeMillis()).isEqualTo(serverMillis());

        answer.countDown();
        assertThat(asker.get()).isEqualTo(serverMillis());
        assertThat(asked).hasValue(2);
    }

    private FutureTask<Long> started() {
        FutureTask<Long> task = new FutureTask<>(clock::currentTimeMillis);
        new Thread(task).start();
        return task;
    }

    private long serverMillis() {
        return time.wallMillis() + AHEAD.toMillis();
    }

    private long told() {
        return TimeUnit.MILLISECONDS.toNanos(serverMillis());
    }

    private static long unanswered() {
        throw new IllegalStateException("no answer");
    }
}
