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
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The clock is the test's own, and so are the answers to PINGs: at first, they find no connection. */
class ServerBreakerTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SLOW = 300 * MILLI;
    private static final JedisConnectionException TIMEOUT =
            new JedisConnectionException(new SocketTimeoutException("Read timed out"));
    private static final JedisException SHORTAGE = new JedisException(new NoSuchElementException("all in use"));

    private final LatentTime time = new LatentTime();
    private final Queue<Thread> started = new ConcurrentLinkedQueue<>();
    private final BackgroundThreads threads = new BackgroundThreads(this::start, time);
    private final Breakers breakers = new Breakers(Duration.ofMillis(150), key -> null, threads, time);
    private final Server server = new Server();
    private final ServerBreaker breaker = breakers.of("a", " at a", server);
    private final ConnectionPermits permits = new ConnectionPermits(4, breaker, time);
    private final List<BreakerState> told = new CopyOnWriteArrayList<>();
    private final Watch watch = breakers.watchBreaker(told::add);

    private Thread start(Runnable task) {
        Thread thread = BackgroundThreads.daemon(task, "store-breaker-test");
        started.add(thread);
        return thread;
    }

    @AfterEach
    void close() {
        server.letIn.countDown();
        server.hangsUntil.countDown();
        time.pauseLastsUntil.countDown();
        watch.close();
        breakers.close();
        threads.shutdownNow();
    }

    /** Answers PINGs after a while, or fails. */
    private static final class Server implements ToLongFunction<Runnable> {
        private final AtomicInteger pings = new AtomicInteger();
        private final AtomicInteger atOnce = new AtomicInteger();
        private final AtomicInteger mostAtOnce = new AtomicInteger();
        private volatile Throwable failure = SHORTAGE;
        private volatile long takesNanos = MILLI;
        private volatile CountDownLatch letIn = new CountDownLatch(0);
        private volatile CountDownLatch hangsUntil = new CountDownLatch(0);

        void answersIn(long nanos) {
            takesNanos = nanos;
            failure = null;
        }

        @Override
        public long applyAsLong(Runnable sending) {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            try {
                letIn.await();
                sending.run();
                pings.incrementAndGet();
                hangsUntil.await();
                if (failure instanceof Error error) {
                    throw error;
                }
                if (failure instanceof RuntimeException exception) {
                    throw exception;
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
            if (nanos == ServerBreaker.BRIEFLY_NANOS && !isImpatient) {
                callerWaitedInVain = !latch.await(1, TimeUnit.MINUTES);
                return !callerWaitedInVain;
            }
            if (nanos == ServerBreaker.BETWEEN_PINGS_NANOS) {
                pauseLastsUntil.await();
            }
            long untilNanos = now.get() + nanos + lateNanos;
            if (nanos == ServerBreaker.BRIEFLY_NANOS) {
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

    /** Lets a call have no answer, while the PING that follows it is held up; callers wait no longer for it than they may. */
    private void failWhile(Runnable pingIsHeldUp) {
        time.isImpatient = true;
        pingIsHeldUp.run();
        fail(TIMEOUT);
    }

    private void letNobodyIn() {
        server.letIn = new CountDownLatch(1);
    }

    private void hang() {
        server.hangsUntil = new CountDownLatch(1);
    }

    private void assertRefused(String why) {
        AtomicInteger sent = new AtomicInteger();
        assertThatThrownBy(() -> permits.admit(Turn.of(Duration.ofSeconds(1)), sent::incrementAndGet))
                .isInstanceOf(ServerBreaker.Open.class)
                .hasMessage("the circuit breaker is open: " + why);
        assertThat(sent).hasValue(0);
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
        Fleet.until(() -> !time.scheduled.isEmpty());
        assertThat(time.scheduled).hasSize(1);
        time.scheduled.remove().run();
        Fleet.until(() -> told.size() == before + 2);
        assertThat(told.subList(before, before + 2)).containsExactly(BreakerState.HALF_OPEN, outcome);
    }

    @Test
    void othersComeFirstWhileItIsLateOrInDoubtOrOpen() {
        breaker.begin();
        time.now.addAndGet(99 * MILLI);
        assertThat(breaker.isLast()).isFalse();
        time.now.addAndGet(MILLI);
        assertThat(breaker.isLast()).as("late").isTrue();

        breaker.begin();
        breaker.end(true);
        assertThat(breaker.isLast()).as("another exchange was answered").isFalse();
        time.now.addAndGet(100 * MILLI);
        breaker.end(false);
        assertThat(breaker.isLast()).as("nothing is under way").isFalse();

        fail(TIMEOUT);
        assertThat(breaker.isLast()).as("in doubt").isTrue();
        fail(TIMEOUT);
        assertThat(breaker.isLast()).as("open").isTrue();
    }

    @Test
    void opensAfterTwoCallsInARowWithoutAnAnswer() {
        call(MILLI);
        fail(TIMEOUT);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
        fail(TIMEOUT);

        assertThat(told).containsExactly(BreakerState.OPEN);
        assertRefused("Read timed out");
    }

    @Test
    void unansweredPingAfterOneUnansweredCallOpensIt() {
        server.failure = TIMEOUT;
        fail(TIMEOUT);
        Fleet.until(() -> told.equals(List.of(BreakerState.OPEN)));
        assertThat(server.pings).hasValue(1);
    }

    @Test
    void callerPaysNoSecondTimeoutIfThePingIsUnansweredToo() {
        failWhile(this::hang);
        Fleet.until(() -> server.pings.get() == 1);

        assertRefused("Read timed out");
        assertThat(told).containsExactly(BreakerState.OPEN);
    }

    @Test
    void callerWaitingBeforeThePingIsSentPaysNoTimeoutEither() {
        time.meanwhile = () -> {
            time.now.addAndGet(MILLI);
            server.letIn.countDown();
            Fleet.until(() -> server.pings.get() == 1);
        };
        hang();
        failWhile(this::letNobodyIn);
        long begun = time.now.get();

        assertRefused("Read timed out");
        assertThat(time.now.get() - begun).isEqualTo(ServerBreaker.BRIEFLY_NANOS);
    }

    @Test
    void callerWaitsForThePingButNotThePauseAfterIt() {
        time.pauseLastsUntil = new CountDownLatch(1);
        server.answersIn(MILLI);
        fail(TIMEOUT);

        call(MILLI);

        assertThat(time.callerWaitedInVain).isFalse();
        assertThat(breaker.isInDoubt).as("the pause lasts").isTrue();
    }

    @Test
    void callerWaitsForItsOwnPingButNotTheEarlierLook() {
        time.pauseLastsUntil = new CountDownLatch(1);
        server.answersIn(MILLI);
        fail(TIMEOUT);
        for (int i = 0; i < 3; i++) {
            call(MILLI);
        }
        assertThat(server.pings).as("the pause behind the first one lasts").hasValue(1);
        fail(TIMEOUT);

        started.forEach(Thread::interrupt);

        Fleet.until(() -> server.pings.get() > 1);
        assertThat(told).isEmpty();
    }

    @Test
    void pingWaitingForAConnectionIsNoSilenceAfterUnansweredCalls() {
        long begun = time.monotonicNanos();
        time.now.addAndGet(1_000 * MILLI);
        failWhile(this::letNobodyIn);
        breaker.failed(begun, TIMEOUT);

        for (int i = 0; i < 3; i++) {
            assertThatCode(() -> call(MILLI)).doesNotThrowAnyException();
        }
        assertThat(told).isEmpty();
    }

    @Test
    void callerQueuedBehindAnUnansweredCallPaysNoTimeoutItself() {
        ConnectionPermits one = new ConnectionPermits(1, breaker, time);
        Duration patient = Duration.ofHours(1);
        AtomicInteger sent = new AtomicInteger();
        FutureTask<Integer> queued = new FutureTask<>(() -> one.admit(Turn.of(patient), sent::incrementAndGet));
        time.isImpatient = true;
        time.meanwhile = () -> Fleet.until(() -> server.pings.get() == 1);
        hang();

        assertThatThrownBy(() -> one.admit(Turn.of(patient), () -> {
                    new Thread(queued).start();
                    Fleet.until(() -> one.waiting() == 1);
                    throw TIMEOUT;
                }))
                .isSameAs(TIMEOUT);

        assertThatThrownBy(queued::get).hasCauseInstanceOf(ServerBreaker.Open.class);
        assertThat(sent).hasValue(0);
    }

    @Test
    void concurrentUnansweredCallsAreOneReasonForDoubt() {
        server.answersIn(MILLI);
        hang();
        long begun = time.monotonicNanos();
        time.now.addAndGet(1_000 * MILLI);

        for (int i = 0; i < 32; i++) {
            breaker.failed(begun, TIMEOUT);
            time.now.addAndGet(MILLI);
        }
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
        server.hangsUntil.countDown();

        call(MILLI);
        Fleet.until(() -> !breaker.isInDoubt);
        assertThat(told).isEmpty();
    }

    /** Before and behind the queue: as long as all callers do, and no longer than its turn lasts. */
    @ParameterizedTest
    @CsvSource({"5000, 500", "10, 10"})
    void callWaitsOnceForAPing(long patienceMillis, long waitMillis) {
        failWhile(this::letNobodyIn);
        long begun = time.now.get();

        call(Turn.of(Duration.ofMillis(patienceMillis)), MILLI);

        assertThat(time.now.get() - begun).isEqualTo(waitMillis * MILLI + MILLI);
    }

    @Test
    void errorRepliesAreAnswersAndLocalShortagesAreNoEvidence() {
        for (String reply : List.of("ERR no", "READONLY", "OOM", "LOADING", "NOPERM", "MASTERDOWN", "BUSY")) {
            fail(new JedisDataException(reply));
            fail(SHORTAGE);
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
            Fleet.until(() -> !breaker.isInDoubt);
            call(MILLI);
        }
        assertThat(told).isEmpty();
        assertThat(server.mostAtOnce).hasValue(1);
    }

    /** Close by, or far away: slow is what takes longer than the fastest. */
    @ParameterizedTest
    @CsvSource({"1, 100", "300, 400"})
    void whileAllIsWellNothingIsSent(long fastestMillis, long slowestMillis) {
        for (int i = 0; i < 1_000; i++) {
            call((fastestMillis + i % (slowestMillis - fastestMillis + 1)) * MILLI);
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
        assertRefused("the server is slow");
    }

    @Test
    void aProcessThatIsLateItselfDoesNotOpenIt() {
        time.lateNanos = SLOW;
        server.answersIn(SLOW);
        call(MILLI);
        for (int i = 0; i < 10; i++) {
            call(SLOW);
            Fleet.until(() -> !breaker.isInDoubt);
        }
        assertThat(server.pings).hasValueGreaterThanOrEqualTo(40);
        assertThat(told).isEmpty();
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
    void closesWhenTheServerAnswersPromptlyAgainWhateverProbesHaveFound() {
        breakers.watchBreaker(state -> {
            throw new AssertionError("so the test wants it");
        });
        List<BreakerState> toldBehindIt = new CopyOnWriteArrayList<>();
        breakers.watchBreaker(toldBehindIt::add);
        open();
        server.failure = TIMEOUT;
        probe(BreakerState.OPEN);
        server.failure = new JedisException(new IllegalStateException("Pool not open")); // of a master that has moved
        probe(BreakerState.OPEN);
        server.failure = new StackOverflowError("so the test wants it");
        probe(BreakerState.OPEN);
        call(Turn.of(Duration.ofSeconds(1)).regardless(), MILLI);
        server.answersIn(SLOW);
        probe(BreakerState.OPEN);
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);

        assertThatCode(() -> call(MILLI)).doesNotThrowAnyException();
        Fleet.until(() -> toldBehindIt.equals(told));
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
        assertRefused("Connection reset");
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
    void someCallsAndThreadsThatCannotWaitIgnoreIt() {
        open();
        call(Turn.ofLeaseHolder(Duration.ofSeconds(1)).regardless(), MILLI);
        breakers.sendRegardless(() -> call(MILLI));

        assertThat(breakers.breaker()).isEqualTo(BreakerState.OPEN);
        assertRefused("Read timed out");
    }

    @Test
    void eachServerHasItsOwnAndTheWorstStateIsTold() {
        ServerBreaker other = breakers.of("b", " at b", sending -> MILLI);
        open();

        assertThatCode(other::check).doesNotThrowAnyException();
        assertThat(breakers.of("a")).isSameAs(breaker);
        server.answersIn(MILLI);
        probe(BreakerState.CLOSED);
        assertThat(breakers.breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void closingEndsTheProbes() throws InterruptedException {
        open();
        int pings = server.pings.get();
        breakers.close();
        time.scheduled.remove().run(); // on one of the threads
        threads.shutdownNow();
        for (Thread thread : started) {
            thread.join();
        }

        assertThat(time.scheduled).isEmpty();
        assertThat(server.pings).hasValue(pings);
        assertThat(told).containsExactly(BreakerState.OPEN);
    }
}
