package io.stampedeguard.redis.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.redis.internal.combine.Wire.Request;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.VirtualTime;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Requests for leases, none of which may be sent twice, and ends of leases, which wait for no sender without a processor. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombinedChangesTest {
    private static final Duration PATIENT = Duration.ofHours(1);
    private static final Duration OVERDUE = Duration.ofNanos(WaitingCallers.OVERDUE_NANOS);
    private static final JedisException INTERRUPTED = new JedisException(new InterruptedException());
    private static final JedisException SHORTAGE = new JedisException(new NoSuchElementException("no connection"));
    private static final JedisConnectionException BROKEN = new JedisConnectionException("Unexpected end of stream.");
    private static final JedisConnectionException CLOSED =
            new JedisConnectionException(new SocketException("Closed by interrupt"));

    private final VirtualTime time = new VirtualTime();
    private final Wire wire = new Wire();
    private final Combiner<byte[], byte[]> changes = new Combiner<>(wire, 1, time);
    private final List<Request> busy = new ArrayList<>();

    /** What a caller does. */
    private enum Kind {
        REQUEST,
        END,
        READ;

        Turn turn() {
            return switch (this) {
                case REQUEST -> Turn.of(PATIENT).once();
                case END -> Turn.ofLeaseHolder(PATIENT);
                case READ -> Turn.of(PATIENT);
            };
        }
    }

    /** A call on a thread of its own. */
    private final class Call extends FutureTask<String> {
        private final String key;
        private final AtomicBoolean endsInterrupted;
        private final Thread thread = new Thread(this);

        Call(Kind kind, String key) {
            this(kind, key, new AtomicBoolean());
        }

        private Call(Kind kind, String key, AtomicBoolean endsInterrupted) {
            super(() -> {
                String answer = Wire.text(changes.send(kind.turn(), key, Wire.key(key)));
                endsInterrupted.set(Thread.currentThread().isInterrupted());
                return answer;
            });
            this.key = key;
            this.endsInterrupted = endsInterrupted;
            thread.setDaemon(true);
            thread.start();
        }

        void answered() throws Exception {
            assertThat(get(1, TimeUnit.MINUTES)).isEqualTo("value of " + key);
        }

        Throwable failure() {
            return catchThrowableOfType(ExecutionException.class, () -> get(1, TimeUnit.MINUTES))
                    .getCause();
        }
    }

    /** Occupies the lane, and the role of the sender. */
    private void occupy() {
        for (String key : List.of("lane", "sender")) {
            new Call(Kind.READ, key);
            busy.add(wire.next());
        }
        assertThat(busy).extracting(Request::isAlone).containsExactly(true, false);
        assertThat(busy.get(1).keys()).as("a closed batch").containsExactly("sender");
    }

    private List<Call> waiting(Kind kind, String... keys) throws Exception {
        List<Call> calls = new ArrayList<>();
        for (String key : keys) {
            calls.add(new Call(kind, key));
            time.awaitWaiting(calls.size());
        }
        return calls;
    }

    /** Lets the waiting callers be sent, as one batch that has its turn and is closed. */
    private Request batch() {
        Request batch = taken();
        batch.giveTurn();
        return batch;
    }

    /** Lets one of the waiting callers take the others, and wait for its turn. */
    private Request taken() {
        wire.queues = true;
        busy.remove(1).answer();
        return wire.next();
    }

    @AfterEach
    void assertNothingIsSentAgain() {
        busy.forEach(Request::answer);
        Fleet.until(changes::isIdle);
        assertThat(wire.isQuiet()).isTrue();
    }

    private static void assertAnswered(List<Call> calls) throws Exception {
        for (Call call : calls) {
            call.answered();
        }
    }

    private static Call senderOf(Request batch, List<Call> calls) {
        return calls.stream()
                .filter(call -> call.thread == batch.sender())
                .findAny()
                .orElseThrow();
    }

    private static Call otherThan(Call one, List<Call> calls) {
        return calls.stream().filter(call -> call != one).findFirst().orElseThrow();
    }

    @Test
    void theThirdCallerTravelsWithThoseThatFollow() throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.REQUEST, "a", "b", "c");

        Request batch = batch();

        assertThat(batch.keys()).containsExactly("a", "b", "c");
        batch.answer();
        assertAnswered(calls);
    }

    @Test
    void requestsWhoseConnectionBrokeFailAndAreNotSentAgain() throws Exception {
        assertFailsAndIsNotSentAgain(BROKEN);
    }

    @Test
    void requestsWhoseConnectionAnInterruptClosedFailAndAreNotSentAgain() throws Exception {
        assertFailsAndIsNotSentAgain(CLOSED);
    }

    @Test
    void requestsWithAnAnswerTooLargeForMemoryAreNotSentAgain() throws Exception {
        assertFailsAndIsNotSentAgain(RedisFailure.tooLarge(new OutOfMemoryError("so the test wants it")));
    }

    private void assertFailsAndIsNotSentAgain(RuntimeException failure) throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.REQUEST, "a", "b", "c");

        batch().fail(failure);

        assertThat(calls).extracting(Call::failure).containsOnly(failure);
    }

    @Test
    void requestsWhoseSenderThrewAnErrorFailAndAreNotSentAgain() throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.REQUEST, "a", "b", "c");
        Request batch = batch();
        Call sender = senderOf(batch, calls);

        batch.fail(new StackOverflowError());

        assertThat(sender.failure()).isInstanceOf(StackOverflowError.class);
        calls.remove(sender);
        assertThat(calls)
                .hasSize(2)
                .extracting(Call::failure)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(JedisConnectionException.class)
                        .hasMessageContaining("has failed"));
    }

    @Test
    void anotherSendsRequestsWhoseSenderThrowsAnErrorBeforeItsTurn() throws Exception {
        assertAnotherSends(Kind.REQUEST, new StackOverflowError(), true);
    }

    @Test
    void requestsWhoseSenderWasInterruptedBeforeItsTurnAreSentByAnother() throws Exception {
        assertAnotherSends(Kind.REQUEST, INTERRUPTED, true);
    }

    @Test
    void requestsOfASenderWithoutAConnectionAreSentByAnother() throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.REQUEST, "a", "b", "c");
        Request batch = batch();
        Call sender = senderOf(batch, calls);
        List<String> others = calls.stream()
                .filter(call -> call != sender)
                .map(call -> call.key)
                .toList();

        batch.fail(SHORTAGE);

        List<Request> again = List.of(wire.next(), wire.next());
        again.forEach(Request::giveTurn);
        assertThat(Set.of(again.get(0).keys(), again.get(1).keys())).isEqualTo(Set.of(List.of(sender.key), others));
        again.forEach(Request::answer);
        assertAnswered(calls);
    }

    @Test
    void endsAreSentByAnotherWhateverHappenedToTheirSender() throws Exception {
        assertAnotherSends(Kind.END, CLOSED, false);
    }

    @Test
    void endsAreSentByAnotherAfterAnErrorOfTheirSender() throws Exception {
        assertAnotherSends(Kind.END, new StackOverflowError(), false);
    }

    private void assertAnotherSends(Kind kind, Throwable failure, boolean beforeTurn) throws Exception {
        occupy();
        List<Call> calls = waiting(kind, "a", "b", "c");
        Request batch = taken();
        Call sender = senderOf(batch, calls);
        if (beforeTurn) {
            batch.refuseTurn(failure);
        } else {
            batch.giveTurn();
            batch.fail(failure);
        }

        assertThat(sender.failure()).isSameAs(failure);
        calls.remove(sender);
        Request again = wire.next();
        again.giveTurn();
        assertThat(again.keys())
                .containsExactlyElementsOf(calls.stream().map(call -> call.key).toList());
        again.answer();
        assertAnswered(calls);
    }

    @ForEach
    void aRefusalIsThatOfItsCallerAndFinal(Kind kind) throws Exception {
        occupy();
        List<Call> calls = waiting(kind, "a", "b", "c");
        JedisDataException refusal = new JedisDataException("NOPERM b");
        wire.refusals.put("b", refusal);

        batch().answer();

        calls.get(0).answered();
        assertThat(calls.get(1).failure()).isSameAs(refusal);
        calls.get(2).answered();
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "END"})
    void aCompanionWaitsBrieflyForASenderWithoutAProcessor(Kind kind) throws Exception {
        occupy();
        List<Call> calls = waiting(kind, "a", "b");
        Request held = taken();
        Call sender = senderOf(held, calls);
        calls.remove(sender);

        time.advance(OVERDUE);

        Request alone = wire.next();
        alone.giveTurn();
        assertThat(alone.keys()).containsExactly(calls.get(0).key);
        alone.answer();
        calls.get(0).answered();
        held.giveTurn();
        assertThat(held.keys()).containsExactly(sender.key);
        held.answer();
        sender.answered();
    }

    @Test
    void aReaderWaitsForItsSenderAsLongAsItsPatienceLasts() throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.READ, "a", "b");
        Request held = taken();

        time.advance(OVERDUE.multipliedBy(3));

        held.giveTurn();
        assertThat(held.keys()).containsExactly("a", "b");
        held.answer();
        assertAnswered(calls);
    }

    /** Otherwise the lease that it is granted would be nobody's until it expires. */
    @Test
    void whoIsInterruptedAfterItsRequestWasSentWaitsForTheAnswer() throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.REQUEST, "a", "b", "c");
        Request batch = batch();
        Call interrupted = otherThan(senderOf(batch, calls), calls);

        interrupted.thread.interrupt();
        Fleet.until(() -> !interrupted.thread.isInterrupted()); // it has noticed, and may go on to wait
        time.awaitWaiting(2);
        batch.answer();

        for (Call call : calls) {
            call.answered();
            assertThat(call.endsInterrupted.get()).isEqualTo(call == interrupted);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"END", "READ"})
    void interruptedCallerLeavesASentRequestThatMayBeRepeated(Kind kind) throws Exception {
        occupy();
        List<Call> calls = waiting(kind, "a", "b", "c");
        Request batch = batch();
        Call interrupted = otherThan(senderOf(batch, calls), calls);

        interrupted.thread.interrupt();

        assertThat(interrupted.failure()).hasCauseInstanceOf(InterruptedException.class);
        batch.answer();
        calls.remove(interrupted);
        assertAnswered(calls);
    }

    @Test
    void interruptedCallerLeavesAndWithdrawsItsUnsentRequest() throws Exception {
        occupy();
        List<Call> calls = waiting(Kind.REQUEST, "a", "b", "c");
        Request batch = taken();
        Call interrupted = otherThan(senderOf(batch, calls), calls);

        interrupted.thread.interrupt();

        assertThat(interrupted.failure()).hasCauseInstanceOf(InterruptedException.class);
        batch.giveTurn();
        calls.remove(interrupted);
        assertThat(batch.keys())
                .containsExactlyElementsOf(calls.stream().map(call -> call.key).toList());
        batch.answer();
        assertAnswered(calls);
    }
}
