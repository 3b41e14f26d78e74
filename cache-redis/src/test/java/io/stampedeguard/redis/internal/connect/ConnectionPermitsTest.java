package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

class ConnectionPermitsTest {
    private static final Duration PATIENT = Duration.ofHours(1);

    private final ConnectionPermits permits = new ConnectionPermits(1, null, TimeSource.system());
    private final CountDownLatch answer = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void letAllGo() throws InterruptedException {
        answer.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(permits).hasToString("; calls in progress: 0 of 1, waiting: 0");
    }

    private <T> FutureTask<T> call(Supplier<T> call) {
        FutureTask<T> task = new FutureTask<>(() -> permits.admit(Turn.of(PATIENT), call));
        Thread thread = new Thread(task);
        threads.add(thread);
        thread.start();
        return task;
    }

    private void occupy() {
        call(() -> {
            try {
                answer.await();
                return "answer";
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Fleet.until(() -> permits.toString().contains("calls in progress: 1 of 1"));
    }

    @Test
    void callersAreAdmittedInTheOrderInWhichTheyCame() throws Exception {
        occupy();
        List<Integer> admitted = new CopyOnWriteArrayList<>();
        List<FutureTask<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            callers.add(call(() -> admitted.add(number)));
            Fleet.until(() -> permits.waiting() == number + 1);
        }

        answer.countDown();

        for (FutureTask<Boolean> caller : callers) {
            caller.get();
        }
        assertThat(admitted).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void waitingInVainIsAShortageAndSaysNothingOfTheServer() {
        occupy();
        assertThatThrownBy(() -> permits.admit(Turn.of(Duration.ofMillis(1)), () -> "never"))
                .isInstanceOfSatisfying(JedisException.class, failure -> {
                    assertThat(RedisFailure.isShortage(failure)).isTrue();
                    assertThat(RedisFailure.isOfServer(failure)).isFalse();
                });
        assertThat(permits).hasToString("; calls in progress: 1 of 1, waiting: 0");
    }

    @Test
    void interruptEndsAWaitAndHindersNobodyWhoNeedNotWait() {
        Thread.currentThread().interrupt();
        assertThat(permits.<String>admit(Turn.ofLeaseHolder(PATIENT), () -> "gave the lease back"))
                .isEqualTo("gave the lease back");
        assertThat(Thread.interrupted()).isTrue();

        occupy();
        FutureTask<String> waiting = call(() -> "never");
        Fleet.until(() -> permits.waiting() == 1);
        threads.get(threads.size() - 1).interrupt();

        assertThatThrownBy(waiting::get).hasRootCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void reservedPermitServesOneCallOrIsGivenBack() {
        Turn turn = Turn.ofLeaseHolder(PATIENT);
        assertThat(permits.tryToReserve(turn)).isTrue();
        assertThat(permits.tryToReserve(Turn.ofLeaseHolder(PATIENT))).isFalse();

        assertThat(permits.<String>admit(turn, () -> "sent")).isEqualTo("sent");
        permits.endReservation(turn);
        assertThat(permits).hasToString("; calls in progress: 0 of 1, waiting: 0");

        assertThat(permits.tryToReserve(turn)).isTrue();
        permits.endReservation(turn);
        assertThat(permits).hasToString("; calls in progress: 0 of 1, waiting: 0");
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new JedisDataException("ERR"),
                new JedisConnectionException("Read timed out"),
                new AssertionError("of user code"),
                new StackOverflowError("so the test wants it"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void permitIsGivenBackOnceWhateverTheCallThrows(Throwable failure) {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> permits.admit(Turn.of(PATIENT), () -> {
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) failure;
                    }))
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isSameAs(failure),
                            thrown -> assertThat(thrown).hasCause(failure));
        }
    }
}
