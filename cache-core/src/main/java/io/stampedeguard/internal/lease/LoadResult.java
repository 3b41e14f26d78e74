package io.stampedeguard.internal.lease;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.RecentLoadFailureException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result of a flight, for the callers that wait for it. */
public sealed interface LoadResult<V> {
    /** Returns the value, or throws an exception of this caller's own; messages name the key. */
    @Nullable
    V get(String storeKey);

    /** Returns the source of a caller's answer, if this is the answer. */
    default AnswerSource source() {
        return AnswerSource.FAILED;
    }

    /** Returns the same result for a caller that has waited for it. */
    default LoadResult<V> waitedFor() {
        return this;
    }

    /** A value, or {@code null} for "the origin has none", and where it came from. */
    record Value<V>(@Nullable V value, AnswerSource source) implements LoadResult<V> {
        @Override
        public @Nullable V get(String storeKey) {
            return value;
        }

        @Override
        public LoadResult<V> waitedFor() {
            return source == AnswerSource.LOADED ? new Value<>(value, AnswerSource.COALESCED) : this;
        }
    }

    /** The exception of the loader, and whether the key cools down after it. */
    record Failure<V>(Throwable cause, boolean coolsDown) implements LoadResult<V> {
        @Override
        public @Nullable V get(String storeKey) {
            throw new LoadException("the loader failed for " + KeyEncoder.shown(storeKey), cause);
        }
    }

    /** The loader did not return in time. */
    record TimedOut<V>(Duration loadTimeout) implements LoadResult<V> {
        @Override
        public @Nullable V get(String storeKey) {
            throw new LoadTimeoutException(messageFor(storeKey, loadTimeout));
        }

        private static String messageFor(String storeKey, Duration loadTimeout) {
            return "the loader for " + KeyEncoder.shown(storeKey) + " did not return within the loadTimeout "
                    + loadTimeout;
        }

        /** Returns the text that is stored for the fleet. */
        public static FailureText text(String storeKey, Duration loadTimeout) {
            return FailureText.of(new LoadTimeoutException(messageFor(storeKey, loadTimeout)));
        }
    }

    /** No thread has begun to call the loader in time, which says nothing about the origin. */
    record NotBegun<V>() implements LoadResult<V> {
        @Override
        public @Nullable V get(String storeKey) {
            throw Failures.notBegun(storeKey);
        }
    }

    /** There was no load, or it was cut off, because the cache was closed. */
    record Closed<V>(String cache) implements LoadResult<V> {
        @Override
        public @Nullable V get(String storeKey) {
            throw Failures.closedMeanwhile(cache);
        }
    }

    /** The exception of a loader in another process, or of one that was called a moment ago. */
    record RecentFailure<V>(FailureText failure, Duration remaining) implements LoadResult<V> {
        @Override
        public @Nullable V get(String storeKey) {
            throw new RecentLoadFailureException(
                    "the load of " + KeyEncoder.shown(storeKey) + " failed recently, and is not retried for "
                            + remaining.toMillis() + " ms: " + failure.printable(),
                    failure.type(),
                    failure.message(),
                    remaining);
        }
    }
}
