package io.stampedeguard.internal.load;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The keys that rest, and for how long. */
final class RefreshQueueTest {
    private static final LoadFunction<String, String> LOADER = LoadFunction.ofEach(key -> "v");

    private final VirtualTime time = new VirtualTime();
    private final RecordingListener listener = new RecordingListener();

    private RefreshQueue queue(TimeSource clock) {
        CacheContext context = new CacheContext(
                "test",
                CachePolicy.builder().build(),
                clock,
                new CacheEvents("test", listener, clock),
                new HotKeys("test", clock));
        return new RefreshQueue(
                context, new LoadPermits(context, new BackgroundTasks("test", "tasks", context.time())), null);
    }

    private static void reload(RefreshQueue queue) {
        assertThat(queue.claim("k")).isTrue();
        queue.add(Map.of("k", EventType.REFRESH_QUEUED), LOADER, loader -> Map.of("k", ofSeconds(1)));
        until(() -> queue.reloading() == 0);
    }

    @Test
    void keyRestsForItsTimeAndNoLonger() {
        try (RefreshQueue queue = queue(time)) {
            reload(queue);
            assertThat(queue.claim("k")).isFalse();

            time.advance(ofSeconds(1));

            assertThat(queue.claim("k")).isTrue();
        }
    }

    @Test
    void keyWhoseRestCannotBeEndedDoesNotRest() {
        try (RefreshQueue queue = queue(new WithoutTimer(time))) {
            reload(queue);

            assertThat(queue.claim("k")).isTrue();
            assertThat(listener.faults()).hasSize(1);
        }
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new IllegalStateException("thrown by the test"),
                new AssertionError("thrown by the test"),
                new ServiceConfigurationError("thrown by the test"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aTimeSourceThatThrowsLeavesNoKeyQueued(Throwable failure) {
        try (RefreshQueue queue = queue(new WithoutThreads(time, failure))) {
            assertThat(queue.claim("k")).isTrue();

            queue.add(Map.of("k", EventType.REFRESH_QUEUED), LOADER, loader -> Map.of());

            assertThat(queue.claim("k")).isTrue();
            assertThat(listener.events()).containsExactlyInAnyOrder(EventType.REFRESH_DROPPED, FaultSource.LOADER);
            assertThat(listener.faults()).hasSize(1);
        }
    }

    @Test
    void fatalTimeSourceErrorIsThrownAndLeavesNoKeyQueued() {
        try (RefreshQueue queue = queue(new WithoutThreads(time, new InternalError("thrown by the test")))) {
            assertThat(queue.claim("k")).isTrue();

            assertThatThrownBy(() -> queue.add(Map.of("k", EventType.REFRESH_QUEUED), LOADER, loader -> Map.of()))
                    .isInstanceOf(InternalError.class);

            assertThat(queue.claim("k")).isTrue();
        }
    }

    /** A clock that cannot run what is to run in the background. */
    private static final class WithoutThreads extends ForwardingTime {
        private final Throwable failure;

        WithoutThreads(TimeSource clock, Throwable failure) {
            super(clock);
            this.failure = failure;
        }

        @Override
        public void execute(ThreadPoolExecutor threads, Runnable task) {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }
    }

    /** A clock whose timer cannot be started, as where the machine has no thread left. */
    private static final class WithoutTimer extends ForwardingTime {
        WithoutTimer(TimeSource clock) {
            super(clock);
        }

        @Override
        public Timer schedule(long length, Runnable task) {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }
}
