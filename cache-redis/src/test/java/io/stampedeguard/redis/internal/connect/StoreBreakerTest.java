package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The clock is the test's own, and so are the answers to PINGs. */
class StoreBreakerTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SLOW = 300 * MILLI;
    private static final JedisConnectionException TIMEOUT =
            new JedisConnectionException(new SocketTimeoutException("Read timed out"));
    private static final JedisException SHORTAGE = new JedisException(new NoSuchElementException("all in use"));

    private final LatentTime time = new LatentTime();
    private final BackgroundThreads threads = new BackgroundThreads("store-breaker-test", time);
    private final Breakers breakers = new Breakers(Duration.ofMillis(150), key -> null, threads, time);
    private final Server server = new Server();
    private final StoreBreaker breaker = breakers.of("a", " at a", server);
    private final ConnectionPermits permits = new ConnectionPermits(4, breaker, time);
    private final List<BreakerState> told = new CopyOnWriteArrayList<>();
    private final Watch watch = breakers.watchBreaker(told::add);

    @AfterEach
    void close() {
        watch.close();
        breakers.close();
        threads.shutdownNow();
    }

    /** Answers PINGs after a while, or fails. */
    private final class Server implements StoreBreaker.Probe {
        private final AtomicInteger pings = new AtomicInteger();
        private final AtomicInteger atOnce = new AtomicInteger();
        private final AtomicInteger mostAtOnce = new AtomicInteger();
        private volatile RuntimeException failure = SHORTAGE;
        private volatile Error error;
        private volatile long takesNanos = MILLI;
        private volatile CountDownLatch connected = new CountDownLatch(0);
        private volatile CountDownLatch hangsUntil = new CountDownLatch(0);

        void answersIn(long nanos) {
            takesNanos = nanos;
            failure = null;
        }

        @Override
        public long pingNanos(Runnable sending) {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            try {
                connected.await();
                sending.run();
                pings.incrementAndGet();
                hangsUntil.await();
                if (error != null) {
                    throw error;
                }
                RuntimeException now = failure;
                if (now != null) {
                    throw now;
                }
                return takesNanos;
            } catch (InterruptedException e) {
                throw new JedisException(e);
            } finally {
                atOnce.decrementAndGet();
            }
        }
    }

    /**
     * The pauses between PINGs are over at once, on a clock that goes on by them, and by how late this process is. A caller waits
     * for a PING until there is one, unless it is impatient: then only while something happens.
     */
    private static final class LatentTime implements TimeSource {
        private final AtomicLong now = new AtomicLong();
        private final Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>();
        private final Queue<Long> pauses = new ConcurrentLinkedQueue<>();
        private volatile long lateNanos;
        private volatile boolean isImpatient;
        private volatile CountDownLatch pauseLastsUntil = new CountDownLatch(0);
        private volatile boolean callerWaitedInVain;
        private volatile Runnable meanwhile = () -> {};

        @Override
        public long wallMillis() {
            return TimeUnit.NANOSECONDS.toMillis(now.get());
        }

        @Override
        public long monotonicNanos() {
            return now.get();
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            if (nanos == StoreBreaker.BRIEFLY_NANOS && !isImpatient) {
                callerWaitedInVain = !latch.await(1, TimeUnit.MINUTES);
                return !callerWaitedInVain;
            }
            if (nanos == StoreBreaker.BETWEEN_PINGS_NANOS) {
                pauseLastsUntil.await();
            }
            long untilNanos = now.get() + nanos + lateNanos;
            if (nanos == StoreBreaker.BRIEFLY_NANOS) {
                meanwhile.run();
            }
            now.accumulateAndGet(untilNanos, Math::max);
            return latch.getCount() == 0;
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            pauses.add(nanos);
            scheduled.add(task);
            return () -> scheduled.remove(task);
        }
    }

    private void call(long takesNanos) {
        call(Turn.of(Duration.ofSeconds(1)), takesNanos);
    }

    private void call(Turn turn, long takesNanos) {
        permits.admit(turn, () -> time.now.addAndGet(takesNanos));
    }

    private void fail(RuntimeException failure) {
        assertThatThrownBy(() -> permits.admit(Turn.of(Duration.ofSeconds(1)), () -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }

    private void open() {
        server.failure = SHORTAGE;
        fail(TIMEOUT);
        fail(TIMEOUT);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.OPEN);
    }

    /** Runs the probe that is scheduled, which must be the only one, and waits until it is told of. */
    private void probe(BreakerState outcome) {
        int before = told.size();
        assertThat(time.scheduled).hasSize(1);
        time.scheduled.remove().run();
        Fleet.until(() -> told.size() == before + 2);
        assertThat(told.subList(before, before + 2)).containsExactly(BreakerState.HALF_OPEN, outcome);
    }

    @Test
    void opensAfterTwoCallsInARowWithoutAnAnswer() {
        call(MILLI);
        fail(TIMEOUT);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
        fail(TIMEOUT);

        assertThat(breakers.breaker()).isEqualTo(BreakerState.OPEN);
        assertThat(told).containsExactly(BreakerState.OPEN);
        AtomicInteger sent = new AtomicInteger();
        assertThatThrownBy(() -> permits.admit(Turn.of(Duration.ofSeconds(1)), sent::incrementAndGet))
                .isInstanceOf(StoreBreaker.Open.class)
                .hasMessage("the circuit breaker is open: Read timed out");
        assertThat(sent).hasValue(0);
    }

    @Test
    void afterOneCallWithoutAnAnswerAPingThatIsNotAnsweredOpensIt() {
        server.failure = TIMEOUT;
        fail(TIMEOUT);
        Fleet.until(() -> told.equals(List.of(BreakerState.OPEN)));
        assertThat(server.pings).hasValue(1);
    }

    @Test
    void callerPaysForNoSecondTimeoutIfThePingHasNoAnswerEither() {
        CountDownLatch goesOn = new CountDownLatch(1);
        server.hangsUntil = goesOn;
        time.isImpatient = true;
        fail(TIMEOUT);
        Fleet.until(() -> server.pings.get() == 1);

        assertThatThrownBy(() -> call(MILLI)).isInstanceOf(StoreBreaker.Open.class);
        assertThat(told).containsExactly(BreakerState.OPEN);
        goesOn.countDown();
    }

    @Test
    void callerThatBeganToWaitBeforeThePingWasSentDoesNotPayEither() {
        CountDownLatch goesOn = new CountDownLatch(1);
        CountDownLatch connected = new CountDownLatch(1);
        server.hangsUntil = goesOn;
        server.connected = connected;
        time.isImpatient = true;
        time.meanwhile = () -> {
            time.now.addAndGet(MILLI);
            connected.countDown();
            Fleet.until(() -> server.pings.get() == 1);
        };
        fail(TIMEOUT);
        long begun = time.now.get();

        assertThatThrownBy(() -> call(MILLI)).isInstanceOf(StoreBreaker.Open.class);
        assertThat(time.now.get() - begun).isEqualTo(StoreBreaker.BRIEFLY_NANOS);
        goesOn.countDown();
    }

    @Test
    void callerWaitsForTheAnswerToThePingAndNotForThePauseBehindIt() {
        CountDownLatch goesOn = new CountDownLatch(1);
        time.pauseLastsUntil = goesOn;
        server.answersIn(MILLI);
        fail(TIMEOUT);

        call(MILLI);

        assertThat(time.callerWaitedInVain).isFalse();
        assertThat(breaker.isInDoubt()).as("the pause lasts").isTrue();
        goesOn.countDown();
    }

    @Test
    void pingThatWaitsForAConnectionIsNoSilence() {
        CountDownLatch connected = new CountDownLatch(1);
        server.connected = connected;
        time.isImpatient = true;
        fail(TIMEOUT);

        for (int i = 0; i < 3; i++) {
            assertThatCode(() -> call(MILLI)).doesNotThrowAnyException();
        }
        assertThat(told).isEmpty();
        connected.countDown();
    }

    @Test
    void callsWithoutAnAnswerThatWereUnderWayTogetherAreOneReasonForDoubt() {
        CountDownLatch goesOn = new CountDownLatch(1);
        server.answersIn(MILLI);
        server.hangsUntil = goesOn;
        long begun = time.monotonicNanos();
        time.now.addAndGet(1_000 * MILLI);

        for (int i = 0; i < 32; i++) {
            breaker.failed(begun, TIMEOUT);
            time.now.addAndGet(MILLI);
        }
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
        goesOn.countDown();

        call(MILLI);
        Fleet.until(() -> !breaker.isInDoubt());
        assertThat(told).isEmpty();
    }

    @Test
    void severalCallsWithoutAnAnswerAreNoSilenceWhileThePingWaitsForAConnection() {
        CountDownLatch connected = new CountDownLatch(1);
        server.connected = connected;
        time.isImpatient = true;
        long begun = time.monotonicNanos();
        time.now.addAndGet(1_000 * MILLI);
        breaker.failed(begun, TIMEOUT);
        breaker.failed(begun, TIMEOUT);

        assertThatCode(() -> call(MILLI)).doesNotThrowAnyException();

        assertThat(told).isEmpty();
        connected.countDown();
    }

    @Test
    void callWaitsOnceForAPingBeforeAndBehindTheQueue() {
        CountDownLatch connected = new CountDownLatch(1);
        server.connected = connected;
        time.isImpatient = true;
        fail(TIMEOUT);
        long begun = time.now.get();

        call(Turn.of(Duration.ofSeconds(5)), MILLI);

        assertThat(time.now.get() - begun).isEqualTo(StoreBreaker.BRIEFLY_NANOS + MILLI);
        connected.countDown();
    }

    @Test
    void callerWaitsForAPingNoLongerThanItsTurnLasts() {
        CountDownLatch connected = new CountDownLatch(1);
        server.connected = connected;
        time.isImpatient = true;
        fail(TIMEOUT);
        long begun = time.now.get();

        call(Turn.of(Duration.ofMillis(10)), MILLI);

        assertThat(time.now.get() - begun).isEqualTo(10 * MILLI + MILLI);
        connected.countDown();
    }

    @Test
    void answerThatDoesNotFitIntoMemoryIsNoEvidence() {
        for (int i = 0; i < 4; i++) {
            fail(RedisFailure.tooLarge(new OutOfMemoryError("so the test wants it")));
        }
        assertThat(told).isEmpty();
        assertThat(server.pings).hasValue(0);
    }

    @Test
    void oneCallWithoutAnAnswerNowAndThenDoesNotOpenIt() {
        server.answersIn(MILLI);
        for (int i = 0; i < 20; i++) {
            fail(TIMEOUT);
            Fleet.until(() -> !breaker.isInDoubt());
            call(MILLI);
        }
        assertThat(told).isEmpty();
        assertThat(server.mostAtOnce).hasValue(1);
    }

    @Test
    void whileAllIsWellNothingIsRecordedAndNothingSent() {
        for (int i = 0; i < 1_000; i++) {
            call(MILLI + i % 100 * MILLI);
        }
        assertThat(server.pings).hasValue(0);
        assertThat(time.scheduled).isEmpty();
    }

    @Test
    void slowCallsAreNoEvidenceWhilePingsAreAnsweredPromptly() {
        server.answersIn(MILLI);
        call(MILLI);
        for (int i = 0; i < 100; i++) {
            call(SLOW); // many values, or a pause of this process
        }
        Fleet.until(() -> server.pings.get() >= 4);
        assertThat(told).isEmpty();
    }

    @Test
    void fourSlowPingsInARowOpenIt() {
        server.answersIn(SLOW);
        call(MILLI);
        call(SLOW);

        Fleet.until(() -> told.equals(List.of(BreakerState.OPEN)));
        assertThat(server.pings).hasValue(4);
        assertThatThrownBy(() -> call(MILLI)).hasMessage("the circuit breaker is open: the server is slow");
    }

    @Test
    void aServerFarAwayIsNotSlow() {
        server.answersIn(SLOW);
        for (int i = 0; i < 100; i++) {
            call(SLOW);
        }
        assertThat(server.pings).hasValue(0);
    }

    @Test
    void aProcessThatIsLateItselfDoesNotOpenIt() {
        time.lateNanos = SLOW;
        server.answersIn(SLOW);
        call(MILLI);
        for (int i = 0; i < 10; i++) {
            call(SLOW);
            Fleet.until(() -> !breaker.isInDoubt());
        }
        assertThat(server.pings).hasValueGreaterThanOrEqualTo(40);
        assertThat(told).isEmpty();
    }

    @Test
    void errorRepliesAreAnswers() {
        for (String reply : List.of("ERR no", "READONLY", "OOM", "LOADING", "NOPERM", "MASTERDOWN", "BUSY")) {
            fail(new JedisDataException(reply));
            fail(SHORTAGE);
        }
        assertThat(told).isEmpty();
        assertThat(server.pings).hasValue(0);
    }

    @Test
    void probesAreSingleAndJittered() {
        open();
        server.failure = TIMEOUT;
        for (int i = 0; i < 20; i++) {
            probe(BreakerState.OPEN);
            int scheduled = i + 2;
            Fleet.until(() -> time.pauses.size() == scheduled);
        }
        assertThat(server.mostAtOnce).hasValue(1);
        assertThat(time.pauses)
                .doesNotHaveDuplicates()
                .allSatisfy(pause -> assertThat(pause).isBetween(500 * MILLI, 1_000 * MILLI));
    }

    @Test
    void closesWhenTheServerAnswersPromptlyAgainAndTellsEachStateInOrder() {
        open();
        server.failure = TIMEOUT;
        probe(BreakerState.OPEN);
        Fleet.until(() -> !time.scheduled.isEmpty());
        call(Turn.of(Duration.ofSeconds(1)).regardless(), MILLI);
        server.answersIn(SLOW);
        probe(BreakerState.OPEN);
        Fleet.until(() -> !time.scheduled.isEmpty());
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);

        assertThat(told)
                .containsExactly(
                        BreakerState.OPEN,
                        BreakerState.HALF_OPEN,
                        BreakerState.OPEN,
                        BreakerState.HALF_OPEN,
                        BreakerState.OPEN,
                        BreakerState.HALF_OPEN,
                        BreakerState.CLOSED);
        assertThatCode(() -> call(MILLI)).doesNotThrowAnyException();
        assertThat(time.scheduled).isEmpty();
        fail(TIMEOUT);
        assertThat(breakers.breaker()).as("one failure").isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void refusalsWithOneReasonAreOneException() {
        open();
        Throwable first = catchThrowable(() -> call(MILLI));
        assertThat(catchThrowable(() -> call(MILLI))).isSameAs(first);

        server.failure = new JedisConnectionException("Connection reset");
        probe(BreakerState.OPEN);
        assertThat(catchThrowable(() -> call(MILLI))).hasMessage("the circuit breaker is open: Connection reset");
    }

    @Test
    void callsThatBeganBeforeItClosedProveNothing() {
        long begun = time.monotonicNanos();
        open();
        time.now.addAndGet(MILLI);
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);

        for (int i = 0; i < 10; i++) {
            breaker.failed(begun, TIMEOUT);
        }
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void someCallsAreSentRegardless() {
        open();
        AtomicInteger sent = new AtomicInteger();
        permits.admit(Turn.ofLeaseHolder(Duration.ofSeconds(1)).regardless(), sent::incrementAndGet);
        assertThat(sent).hasValue(1);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void callsOfAThreadThatCannotWaitAreSentRegardless() {
        open();
        AtomicInteger sent = new AtomicInteger();
        breakers.sendRegardless(() -> permits.admit(Turn.of(Duration.ofSeconds(1)), sent::incrementAndGet));

        assertThat(sent).hasValue(1);
        assertThatThrownBy(() -> call(MILLI)).isInstanceOf(StoreBreaker.Open.class);
    }

    @Test
    void eachServerHasItsOwnAndTheWorstStateIsTold() {
        StoreBreaker other = breakers.of("b", " at b", sending -> MILLI);
        open();

        assertThatCode(other::check).doesNotThrowAnyException();
        assertThat(breakers.of("a")).isSameAs(breaker);
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void closingEndsTheProbes() {
        open();
        int pings = server.pings.get();
        breakers.close();
        time.scheduled.remove().run();
        threads.execute(() -> {});

        assertThat(time.scheduled).isEmpty();
        assertThat(server.pings).hasValue(pings);
        assertThat(told).containsExactly(BreakerState.OPEN);
    }

    @Test
    void noFailureOfAProbeIsTheLastOne() {
        open();
        server.failure = new JedisException(new IllegalStateException("Pool not open")); // of a master that has moved
        probe(BreakerState.OPEN);
        server.error = new StackOverflowError("so the test wants it");
        probe(BreakerState.OPEN);
        server.error = null;
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);
    }

    @Test
    void listenerThatFailsHidesNothingFromTheOthers() {
        List<BreakerState> others = new CopyOnWriteArrayList<>();
        breakers.watchBreaker(state -> {
            throw new AssertionError("so the test wants it");
        });
        breakers.watchBreaker(others::add);
        open();
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);

        Fleet.until(() -> others.size() == 3);
        assertThat(others).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }
}
