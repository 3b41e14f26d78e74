package io.stampedeguard.redis.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.internal.combine.Waiter.State;
import io.stampedeguard.redis.internal.combine.Wire.Request;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombinerTest {
    private static final int LANES = 4;
    private static final Duration PATIENT = Duration.ofHours(1);
    private static final Duration FIRST_OVERDUE = Duration.ofNanos(WaitingCallers.FIRST_OVERDUE_NANOS);
    private static final Duration OVERDUE = Duration.ofNanos(WaitingCallers.OVERDUE_NANOS);
    private static final JedisException INTERRUPTED = new JedisException(new InterruptedException());
    private static final JedisException SHORTAGE = new JedisException(new NoSuchElementException("no connection"));
    private static final JedisConnectionException CLOSED =
            new JedisConnectionException(new SocketException("Closed by interrupt"));

    private final VirtualTime time = new VirtualTime();
    private final Wire wire = new Wire();
    private final Combiner<byte[], byte[]> reads = new Combiner<>(wire, LANES, new Waits());
    private final List<Request> inLanes = new ArrayList<>();
    private volatile @Nullable Error unableToWait;
    private volatile @Nullable Error unableToSetTimer;

    /** The clock of the test, on which waiting can fail. */
    private final class Waits implements TimeSource {
        @Override
        public long wallMillis() {
            return time.wallMillis();
        }

        @Override
        public long monotonicNanos() {
            return time.monotonicNanos();
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            Error unable = unableToWait;
            if (unable != null) {
                throw unable;
            }
            return time.await(latch, nanos);
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            Error unable = unableToSetTimer;
            if (unable != null) {
                throw unable;
            }
            return time.schedule(nanos, task);
        }
    }

    /** A call on a thread of its own. */
    private static final class Call extends FutureTask<List<String>> {
        private final Thread thread = new Thread(this);

        Call(Callable<List<String>> call) {
            super(call);
            thread.setDaemon(true);
            thread.start();
        }

        void answered(String... keys) throws Exception {
            assertThat(get(1, TimeUnit.MINUTES))
                    .containsExactly(
                            Arrays.stream(keys).map(key -> "value of " + key).toArray(String[]::new));
        }

        RuntimeException failure() throws Exception {
            try {
                throw new AssertionError("answered " + get(1, TimeUnit.MINUTES));
            } catch (ExecutionException e) {
                return (RuntimeException) e.getCause();
            }
        }
    }

    private Call read(String key) {
        return read(key, PATIENT);
    }

    private Call read(String key, Duration patience) {
        return new Call(() -> List.of(Wire.text(reads.send(Turn.of(patience), key, Wire.key(key)))));
    }

    private Call readAll(String... keys) {
        List<byte[]> all = Arrays.stream(keys).map(Wire::key).toList();
        return new Call(() -> reads.sendAll(Turn.of(PATIENT), List.of(keys), all).stream()
                .map(Wire::text)
                .toList());
    }

    /** Occupies all lanes, and the role of the sender, with reads that have no answer yet. */
    private void occupy() {
        for (int i = 0; i <= LANES; i++) {
            read("lane" + i);
            inLanes.add(wire.next());
        }
        assertThat(inLanes).extracting(Request::isAlone).endsWith(true, false);
        assertThat(inLanes.get(LANES).keys()).as("a closed batch").hasSize(1);
    }

    /** Lets callers wait behind the occupied lanes. */
    private List<Call> waiting(String... keys) throws Exception {
        List<Call> calls = new ArrayList<>();
        for (String key : keys) {
            calls.add(read(key));
        }
        time.awaitWaiting(keys.length);
        assertThat(wire.isQuiet()).isTrue();
        return calls;
    }

    /** Lets the sender leave its role. */
    private void answerSender() {
        inLanes.remove(inLanes.size() - 1).answer();
    }

    /** Lets the sender leave its role, and the next one send these keys. */
    private Request nextBatch(String... keys) {
        answerSender();
        Request batch = wire.next();
        assertThat(batch.keys()).containsExactly(keys);
        return batch;
    }

    private static void assertAnswered(List<Call> calls, String... keys) throws Exception {
        assertThat(calls).hasSameSizeAs(keys);
        for (int i = 0; i < keys.length; i++) {
            calls.get(i).answered(keys[i]);
        }
    }

    @AfterEach
    void assertEndsIdle() {
        inLanes.forEach(Request::answer);
        Fleet.until(reads::isIdle);
        assertThat(wire.isQuiet()).isTrue();
    }

    private static Call callOf(List<Call> calls, Thread thread) {
        return calls.stream().filter(call -> call.thread == thread).findAny().orElseThrow();
    }

    private static Call otherThan(List<Call> calls, Call one) {
        return calls.stream().filter(call -> call != one).findAny().orElseThrow();
    }

    @Test
    void aFewCallersReadByThemselves() throws Exception {
        Call first = read("a");
        Request alone = wire.next();
        Call second = read("b");
        Request besides = wire.next();

        assertThat(List.of(alone.isAlone(), besides.isAlone())).containsOnly(true);
        besides.answer();
        second.answered("b");
        alone.answer();
        first.answered("a");
    }

    @Test
    void firstCallerWithoutALaneSendsAtOnceAndOthersWait() throws Exception {
        occupy();
        inLanes.remove(0).answer();
        Call waits = waiting("a").get(0);

        answerSender();
        wire.next().answer();

        waits.answered("a");
    }

    @Test
    void callersDuringABatchTravelTogetherAndEachKeyOnce() throws Exception {
        occupy();
        List<Call> calls = waiting("a", "b", "a", "c");

        nextBatch("a", "b", "c").answer();
        assertAnswered(calls, "a", "b", "a", "c");
    }

    @Test
    void callersOfOneKeyDoNotShareTheirBytes() throws Exception {
        occupy();
        List<FutureTask<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FutureTask<byte[]> call = new FutureTask<>(() -> reads.send(Turn.of(PATIENT), "a", Wire.key("a")));
            calls.add(call);
            new Thread(call).start();
        }
        time.awaitWaiting(2);

        answerSender();
        wire.next().answer();

        assertThat(calls.get(0).get())
                .isNotSameAs(calls.get(1).get())
                .isEqualTo(calls.get(1).get());
    }

    @Test
    void nobodyIsAnsweredByABatchThatWasSentBeforeItsCall() throws Exception {
        occupy();
        Call early = waiting("a").get(0);
        Request batch = nextBatch("a");

        Call late = waiting("a").get(0);
        batch.answer();

        early.answered("a");
        Request next = wire.next();
        assertThat(late.isDone()).isFalse();
        next.answer();
        late.answered("a");
    }

    @Test
    void whoComesWhileTheBatchWaitsForAConnectionTravelsAlong() throws Exception {
        occupy();
        wire.queues = true;
        List<Call> early = waiting("a");
        answerSender();
        Request batch = wire.next();
        List<Call> late = waiting("b");

        batch.giveTurn();

        assertThat(batch.keys()).containsExactly("a", "b");
        batch.answer();
        early.get(0).answered("a");
        late.get(0).answered("b");
    }

    @Test
    void whoHasWaitedForLongSendsBesidesTheSender() throws Exception {
        occupy();
        List<Call> calls = waiting("a", "b", "c");

        time.advance(OVERDUE);

        Set<String> sent = new HashSet<>();
        while (sent.size() < 3) { // those that wake at the same time may send at the same time
            Request batch = wire.next();
            sent.addAll(batch.keys());
            batch.answer();
        }
        assertAnswered(calls, "a", "b", "c");
    }

    @Test
    void theFirstOfTheWaitingCallersIsOverdueSooner() throws Exception {
        occupy();
        List<Call> calls = waiting("a", "b");

        time.advance(FIRST_OVERDUE);

        Request batch = wire.next();
        assertThat(batch.keys()).containsExactly("a", "b");
        batch.answer();
        assertAnswered(calls, "a", "b");
    }

    @Test
    void ifTheFirstWaitingCallerLeavesTheOthersAreOverdueLater() throws Exception {
        occupy();
        Call first = waiting("a").get(0);
        Call second = read("b");
        time.awaitWaiting(2);
        first.thread.interrupt();
        assertThat(first.failure()).hasCauseInstanceOf(InterruptedException.class);

        time.advance(FIRST_OVERDUE);
        assertThat(wire.isQuiet()).isTrue();
        time.advance(OVERDUE);

        Request batch = wire.next();
        assertThat(batch.keys()).containsExactly("b");
        batch.answer();
        second.answered("b");
    }

    @Test
    void allWaitingCallersShareOneTimerWhichEndsWhenNobodyWaits() throws Exception {
        occupy();
        List<Call> calls = waiting("a", "b", "c");
        assertThat(time.timers()).isEqualTo(1);

        answerSender();
        wire.next().answer();
        for (Call call : calls) {
            call.get(1, TimeUnit.MINUTES);
        }
        assertEndsIdle();
        time.advance(FIRST_OVERDUE);
        assertThat(time.timers()).isZero();
    }

    @Test
    void aTimerThatCannotBeSetIsSetByTheNextCaller() throws Exception {
        occupy();
        time.advance(FIRST_OVERDUE);
        assertThat(time.timers()).as("nobody waits").isZero();
        unableToSetTimer = new OutOfMemoryError("so the test wants it");
        Call unable = waiting("a").get(0);
        unableToSetTimer = null;
        time.advance(OVERDUE);
        assertThat(wire.isQuiet()).as("no timer").isTrue();
        Call able = read("b");
        time.awaitWaiting(2);
        assertThat(time.timers()).isEqualTo(1);

        answerSender();

        Request batch = wire.next();
        assertThat(batch.keys()).containsExactlyInAnyOrder("a", "b");
        batch.answer();
        unable.answered("a");
        able.answered("b");
    }

    @Test
    void keysOfSeveralCallsTravelTogether() throws Exception {
        occupy();
        List<Call> calls = List.of(readAll("a", "b"), readAll("b", "c"), read("d"));
        time.awaitWaiting(3);

        nextBatch("a", "b", "c", "d").answer();
        calls.get(0).answered("a", "b");
        calls.get(1).answered("b", "c");
        calls.get(2).answered("d");
    }

    @Test
    void failureOfABatchIsThatOfItsMembersOnly() throws Exception {
        occupy();
        List<Call> members = waiting("a", "b");
        Request batch = nextBatch("a", "b");
        Call late = read("c");
        time.awaitWaiting(2); // and one member
        JedisConnectionException timeout = new JedisConnectionException(new SocketTimeoutException("Read timed out"));

        batch.fail(timeout);

        assertThat(members.get(0).failure()).isSameAs(timeout);
        assertThat(members.get(1).failure()).isSameAs(timeout);
        wire.next().answer();
        late.answered("c");
    }

    @Test
    void failureBeforeTheTurnIsThatOfAllThatWaitedForIt() throws Exception {
        occupy();
        wire.queues = true;
        List<Call> members = waiting("a", "b");
        answerSender();
        JedisConnectionException silence = new JedisConnectionException("the server has answered no call");

        wire.next().refuseTurn(silence);

        assertThat(members.get(0).failure()).isSameAs(silence);
        assertThat(members.get(1).failure()).isSameAs(silence);
    }

    @Test
    void anotherSendsTheBatchOfWhoWasInterruptedBeforeItsTurn() throws Exception {
        assertAnotherOneSends(INTERRUPTED, true);
    }

    @Test
    void anotherSendsTheBatchOfWhosePatienceEnded() throws Exception {
        assertAnotherOneSends(SHORTAGE, true);
    }

    /** So that members do not wait for connections one after another, when all their time is over. */
    @Test
    void whosePatienceEndedWithThatOfItsSenderFailsLikeIt() throws Exception {
        occupy();
        wire.queues = true;
        List<Call> members = List.of(read("a", Duration.ofSeconds(1)), read("b", Duration.ofSeconds(1)));
        time.awaitWaiting(2);
        answerSender();
        Request batch = wire.next();
        batch.giveTurn();
        time.advance(Duration.ofSeconds(1));

        batch.fail(SHORTAGE);

        assertThat(members.get(0).failure()).isSameAs(SHORTAGE);
        assertThat(members.get(1).failure()).isSameAs(SHORTAGE);
    }

    @Test
    void membersWithoutAConnectionWaitAsLongAsTheirOwnPatience() throws Exception {
        occupy();
        wire.retriesOn = time;
        Call brief = read("a", Duration.ofSeconds(1));
        time.awaitWaiting(1);
        Call patient = read("b"); // the last one becomes the sender
        time.awaitWaiting(2);
        Request batch = nextBatch("a", "b");

        batch.fail(SHORTAGE);

        Request one = wire.next();
        Request other = wire.next();
        Request ofBrief = one.keys().equals(List.of("a")) ? one : other;
        Request ofPatient = ofBrief == one ? other : one;
        time.advance(Duration.ofSeconds(1));
        ofBrief.fail(SHORTAGE);
        assertThat(brief.failure()).isSameAs(SHORTAGE);
        ofPatient.answer();
        patient.answered("b");
    }

    @Test
    void anotherSendsTheBatchOfWhoseSocketAnInterruptClosed() throws Exception {
        assertAnotherOneSends(CLOSED, false);
    }

    private void assertAnotherOneSends(RuntimeException failure, boolean beforeTurn) throws Exception {
        occupy();
        wire.queues = true;
        List<Call> members = waiting("a", "b", "c");
        answerSender();
        Request batch = wire.next();
        Call sender = callOf(members, batch.sender());
        if (beforeTurn) {
            batch.refuseTurn(failure);
        } else {
            batch.giveTurn();
            batch.fail(failure);
        }

        assertThat(sender.failure()).isSameAs(failure);
        Request again = wire.next();
        again.giveTurn();
        assertThat(again.keys()).hasSize(2);
        again.answer();
        String[] keys = {"a", "b", "c"};
        for (int i = 0; i < keys.length; i++) {
            if (members.get(i) != sender) {
                members.get(i).answered(keys[i]);
            }
        }
    }

    @Test
    void anErrorOfTheSenderHarmsNobodyElse() throws Exception {
        occupy();
        List<Call> members = waiting("a", "a");
        answerSender();
        Request batch = wire.next();
        Call sender = callOf(members, batch.sender());

        batch.fail(new StackOverflowError());

        assertThatThrownBy(sender::get).hasCauseInstanceOf(StackOverflowError.class);
        wire.next().answer();
        otherThan(members, sender).answered("a");
    }

    @Test
    void whoIsInterruptedWhileItWaitsLeavesAndTheOthersTravel() throws Exception {
        occupy();
        List<Call> calls = waiting("a", "b");

        calls.get(0).thread.interrupt();

        assertThat(calls.get(0).failure()).hasCauseInstanceOf(InterruptedException.class);
        nextBatch("b").answer();
        calls.get(1).answered("b");
    }

    @Test
    void whoIsInterruptedAfterItWasSentLeavesAndOthersAreAnswered() throws Exception {
        occupy();
        List<Call> members = waiting("a", "a");
        Request batch = nextBatch("a");
        Call sender = callOf(members, batch.sender());
        Call companion = otherThan(members, sender);

        companion.thread.interrupt();

        assertThat(companion.failure()).hasCauseInstanceOf(InterruptedException.class);
        batch.answer();
        sender.answered("a");
    }

    @Test
    void whosePatienceEndsBeforeTheBatchIsSentTriesByItselfOnce() throws Exception {
        occupy();
        wire.queues = true;
        Call brief = read("a", Duration.ofSeconds(1));
        time.awaitWaiting(1);
        Call patient = read("b"); // the last one becomes the sender
        time.awaitWaiting(2);
        answerSender();
        Request batch = wire.next();

        time.advance(Duration.ofSeconds(1));

        wire.next().refuseTurn(SHORTAGE); // its last attempt
        assertThat(brief.failure()).isSameAs(SHORTAGE);
        batch.giveTurn();
        assertThat(batch.keys()).containsExactly("b");
        batch.answer();
        patient.answered("b");
    }

    @Test
    void patienceThatIsShorterThanTheTimerEndsInTime() throws Exception {
        occupy();
        wire.queues = true;
        Call brief = read("a", FIRST_OVERDUE.multipliedBy(2));
        time.awaitWaiting(1);
        Call patient = read("b");
        time.awaitWaiting(2);
        answerSender();
        Request batch = wire.next();

        time.advance(FIRST_OVERDUE);
        time.advance(FIRST_OVERDUE);

        wire.next().refuseTurn(SHORTAGE); // its last attempt
        assertThat(brief.failure()).isSameAs(SHORTAGE);
        batch.giveTurn();
        batch.answer();
        patient.answered("b");
    }

    @Test
    void whoseBatchWasSentWaitsForItsAnswerHoweverShortItsPatience() throws Exception {
        occupy();
        List<Call> calls = List.of(read("a", Duration.ofSeconds(1)), read("a", Duration.ofSeconds(1)));
        time.awaitWaiting(2);
        Request batch = nextBatch("a");

        time.advance(Duration.ofSeconds(2));
        batch.answer();

        assertAnswered(calls, "a", "a");
    }

    @Test
    void whoHasLeftABatchIsNotSentForAgain() throws Exception {
        occupy();
        List<Call> members = waiting("a", "b", "c");
        Request batch = nextBatch("a", "b", "c");
        Call sender = callOf(members, batch.sender());
        List<Call> others = members.stream().filter(call -> call != sender).toList();
        others.get(0).thread.interrupt();
        assertThat(others.get(0).failure()).hasCauseInstanceOf(InterruptedException.class);

        batch.fail(CLOSED);

        assertThat(sender.failure()).isSameAs(CLOSED);
        Request again = wire.next();
        assertThat(again.keys())
                .containsExactly(others.get(1) == members.get(0) ? "a" : others.get(1) == members.get(1) ? "b" : "c");
        again.answer();
        others.get(1).answered(again.keys().get(0));
    }

    @Test
    void whoCannotWaitLeavesAndTheOthersTravel() throws Exception {
        occupy();
        OutOfMemoryError noRoom = new OutOfMemoryError("so the test wants it");
        unableToWait = noRoom;
        Call unable = read("a");
        assertThatThrownBy(unable::get).hasCause(noRoom);
        unableToWait = null;
        Call able = waiting("b").get(0);

        nextBatch("b").answer();
        able.answered("b");
    }

    @Test
    void callersForWhichASenderHasNoMemoryLeave() {
        WaitingCallers<byte[], byte[]> stack = new WaitingCallers<>(time);
        List<Waiter<byte[], byte[]>> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            callers.add(new Waiter<>(Turn.of(PATIENT), List.of(), List.of()));
            stack.push(callers.get(i));
        }
        OutOfMemoryError noMemory = new OutOfMemoryError("so the test wants it");

        assertThatThrownBy(() -> stack.takeTo(new RoomForOne<>(noMemory))).isSameAs(noMemory);

        assertThat(callers).extracting(Waiter::state).containsExactly(State.LEFT, State.LEFT, State.TAKEN);
    }

    /** A list that cannot grow. */
    private static final class RoomForOne<T> extends ArrayList<T> {
        private static final long serialVersionUID = 1;

        private final OutOfMemoryError otherwise;

        RoomForOne(OutOfMemoryError otherwise) {
            this.otherwise = otherwise;
        }

        @Override
        public boolean add(T each) {
            if (!isEmpty()) {
                throw otherwise;
            }
            return super.add(each);
        }
    }

    /** Such as that of a listener that is told of the failure of the batch. */
    @Test
    void aReadWithinABatchDoesNotWaitForItself() throws Exception {
        occupy();
        List<Call> members = waiting("a", "b");
        wire.meanwhile = () -> Wire.text(reads.send(Turn.of(PATIENT), "within", Wire.key("within")));
        answerSender();
        Request batch = wire.next();
        wire.meanwhile = () -> {};
        batch.answer();
        time.awaitWaiting(2); // the sender, and its companion

        time.advance(OVERDUE);

        Request within = wire.next();
        assertThat(within.keys()).containsExactly("within");
        within.answer();
        assertAnswered(members, "a", "b");
    }

    @Test
    void whenABatchIsRefusedEachMemberAsksForItself() throws Exception {
        occupy();
        List<Call> members = waiting("a", "b");
        answerSender();

        wire.next().fail(new JedisDataException("NOPERM"));

        Request one = wire.next();
        Request other = wire.next();
        Request ofA = one.keys().equals(List.of("a")) ? one : other;
        Request ofB = ofA == one ? other : one;
        JedisDataException noPermission = new JedisDataException("NOPERM b");
        ofA.answer();
        ofB.fail(noPermission);
        members.get(0).answered("a");
        assertThat(members.get(1).failure()).isSameAs(noPermission);
    }

    @Test
    void batchOfLargeValuesIsDividedAndSentAtTheSameTime() throws Exception {
        wire.valueBytes = Combiner.MOST_BYTES / 5;
        learnLength();
        occupy();
        List<Call> calls = waiting("a", "b", "c", "d", "e", "f", "g");
        answerSender();

        List<Request> parts = new ArrayList<>();
        Set<String> sent = new HashSet<>();
        while (sent.size() < 7) {
            parts.add(wire.next());
            sent.addAll(parts.get(parts.size() - 1).keys());
        }

        assertThat(parts)
                .hasSizeGreaterThan(1)
                .allSatisfy(part -> assertThat(part.keys()).hasSizeLessThanOrEqualTo(5));
        parts.forEach(Request::answer);
        calls.get(0).answered("a");
        calls.get(6).answered("g");
    }

    @Test
    void largeValuesAreNotCombinedUntilTheyAreSmallAgain() throws Exception {
        wire.valueBytes = Combiner.MOST_BYTES;
        learnLength();
        for (int i = 0; i <= LANES; i++) {
            read("large" + i);
            inLanes.add(wire.next());
        }
        assertThat(inLanes).extracting(Request::isAlone).containsOnly(true);
        assertEndsIdle();
        inLanes.clear();

        wire.valueBytes = 0;
        learnLength();
        occupy();
        Call waits = waiting("a").get(0);
        answerSender();
        wire.next().answer();
        waits.answered("a");
    }

    @Test
    void callsForSeveralKeysShowThatValuesAreSmallAgain() throws Exception {
        wire.valueBytes = Combiner.MOST_BYTES;
        learnLength();
        wire.valueBytes = 0;
        for (int i = 0; i < 50; i++) {
            Call call = readAll("learn", "too");
            wire.next().answer();
            call.answered("learn", "too");
        }

        occupy();
        Call waits = waiting("a").get(0);
        answerSender();
        wire.next().answer();
        waits.answered("a");
    }

    private void learnLength() throws Exception {
        for (int i = 0; i < 50; i++) {
            Call call = read("learn");
            wire.next().answer();
            call.answered("learn");
        }
    }
}
