package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

class ConnectionPermitsTest {
    private static final Duration PATIENT = Duration.ofHours(1);
    private static final JedisConnectionException TIMEOUT =
            new JedisConnectionException(new SocketTimeoutException("Read timed out"));

    private final ConnectionPermits permits = new ConnectionPermits(4, null, TimeSource.system());
    private final CountDownLatch answer = new CountDownLatch(1);

    @AfterEach
    void letAllGo() {
        answer.countDown();
    }

    private FutureTask<String> call(Turn turn, RuntimeException failure) {
        return call(permits, turn, failure);
    }

    private FutureTask<String> call(ConnectionPermits of, Turn turn, RuntimeException failure) {
        FutureTask<String> call = new FutureTask<>(() -> of.admit(turn, () -> {
            awaitAnswer();
            if (failure != null) {
                throw failure;
            }
            return "answer";
        }));
        Thread thread = new Thread(call);
        thread.setDaemon(true);
        thread.start();
        return call;
    }

    private void awaitAnswer() {
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<FutureTask<String>> occupy(int calls, RuntimeException failure) {
        List<FutureTask<String>> all = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            all.add(call(Turn.of(PATIENT), failure));
        }
        Fleet.until(() -> permits.toString().contains("calls in progress: " + calls + " of 4"));
        return all;
    }

    @Test
    void leaseHolderDoesNotWaitBehindOtherCallers() throws Exception {
        ConnectionPermits one = new ConnectionPermits(1, null, TimeSource.system());
        call(one, Turn.of(PATIENT), null);
        Fleet.until(() -> one.toString().contains("calls in progress: 1 of 1"));
        FutureTask<String> reader = call(one, Turn.of(PATIENT), null);
        Fleet.until(() -> one.waiting() == 1);
        FutureTask<Boolean> renewal =
                new FutureTask<>(() -> one.admit(Turn.ofLeaseHolder(PATIENT), () -> reader.isDone()));
        Thread thread = new Thread(renewal);
        thread.setDaemon(true);
        thread.start();
        Fleet.until(() -> one.waiting() == 2);

        answer.countDown();

        assertThat(reader.get()).isEqualTo("answer");
        assertThat(renewal.get())
                .as("the reader was answered before the renewal was sent")
                .isFalse();
    }

    @Test
    void waitingInVainIsAShortageAndSaysNothingOfTheServer() {
        occupy(4, null);
        assertThatThrownBy(() -> permits.admit(Turn.of(Duration.ofMillis(1)), () -> "never"))
                .isInstanceOfSatisfying(JedisException.class, failure -> {
                    assertThat(RedisFailure.isShortage(failure)).isTrue();
                    assertThat(RedisFailure.isOfServer(failure)).isFalse();
                });
        assertThat(permits).hasToString("not contacted yet; calls in progress: 4 of 4, waiting: 0");
    }

    @Test
    void callerWhoWaitedWhileTheServerAnsweredNobodyDoesNotWaitForATimeoutOfItsOwn() {
        occupy(4, TIMEOUT);
        FutureTask<String> waiting = call(Turn.of(PATIENT), null);
        Fleet.until(() -> permits.waiting() == 1);

        answer.countDown();

        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(JedisConnectionException.class)
                .hasMessageContaining("has answered no call since this one began to wait");
        Fleet.until(() -> permits.toString().startsWith("does not answer: Read timed out; calls in progress: 0 of 4"));
    }

    @Test
    void refusalIsAnAnswer() throws Exception {
        occupy(4, new JedisDataException("ERR"));
        FutureTask<String> waiting = call(Turn.of(PATIENT), null);
        Fleet.until(() -> permits.waiting() == 1);

        answer.countDown();

        assertThat(waiting.get()).isEqualTo("answer");
    }

    @Test
    void singleConnectionServesAll() {
        ConnectionPermits one = new ConnectionPermits(1, null, TimeSource.system());
        assertThat(one.<String>admit(Turn.of(PATIENT), () -> "read")).isEqualTo("read");
        assertThat(one.<String>admit(Turn.ofLeaseHolder(PATIENT), () -> "renewed"))
                .isEqualTo("renewed");
        assertThat(one).hasToString("answers; calls in progress: 0 of 1, waiting: 0");
    }
}
