package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller that is interrupted during its load affects no other, however its driver reports the interrupt. */
final class InterruptedLoaderTest {
    private final Fleet fleet =
            new Fleet(2, CachePolicy.builder().waitTimeout(ofSeconds(10)).build());
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void close() {
        never.countDown();
        fleet.close();
    }

    static Stream<Named<Function<InterruptedException, Exception>>> reports() {
        return Stream.of(
                Named.of("as it is", interrupt -> interrupt),
                Named.of("wrapped twice", interrupt -> new IllegalStateException(new SQLException(interrupt))),
                Named.of("by the flag alone", interrupt -> {
                    Thread.currentThread().interrupt();
                    return new SQLException("statement cancelled");
                }),
                Named.of("as an interrupted read", interrupt -> new InterruptedIOException("read")),
                Named.of("as a closed channel", interrupt -> new SQLException(new ClosedByInterruptException())));
    }

    @ParameterizedTest
    @MethodSource("reports")
    void othersLoadForThemselves(Function<InterruptedException, Exception> report) throws Exception {
        Callers.Call<String> interrupted = fleet.callers().call(() -> {
            try {
                return fleet.cache(0).get("k", key -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        throw report.apply(e);
                    }
                    return "never";
                });
            } finally {
                assertThat(Thread.currentThread().isInterrupted())
                        .as("the flag")
                        .isTrue();
            }
        });
        until(() -> fleet.store().count(Call.LEASE) == 1);
        Callers.Call<String> follower = fleet.get(0, "k");
        Callers.Call<String> elsewhere = fleet.get(1, "k");
        fleet.time().awaitWaiting(2);

        interrupted.interrupt();

        assertThat(interrupted.failure()).isInstanceOf(LoadException.class);
        assertThat(follower.result()).isEqualTo("one");
        assertThat(elsewhere.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.store().count(Call.FAIL)).isZero();
        assertThat(fleet.listener().count(EventType.LOAD_FAILED)).isEqualTo(1);
    }

    static Stream<Exception> otherFailures() {
        return Stream.of(
                new ExecutionException(new InterruptedException("another thread's")),
                new SocketTimeoutException("read timed out"));
    }

    @ParameterizedTest
    @MethodSource("otherFailures")
    void anotherThreadsInterruptOrATimeoutIsALoadFailure(Exception failure) {
        fleet.origin().fail(failure);

        assertThatThrownBy(() -> fleet.cache(0).get("k")).isInstanceOf(LoadException.class);
        assertThat(fleet.store().count(Call.FAIL)).isEqualTo(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
