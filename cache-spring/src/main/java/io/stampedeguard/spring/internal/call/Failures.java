package io.stampedeguard.spring.internal.call;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.spring.internal.key.CacheNames;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What callers get if a call fails: what the method has thrown, or an exception of the library whose message names the property to
 * change.
 *
 * @param name the name of the cache
 * @param policy its settings
 * @param lastNanos how long the last computation took, zero if none has ended
 */
record Failures(String name, CachePolicy policy, AtomicLong lastNanos) {
    /** Returns what is thrown in place of a failure; throws it if it is an {@link Error}. */
    Exception translated(RuntimeException failure, Object key) {
        Throwable thrown = of(failure, key);
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof Exception exception ? exception : failure;
    }

    /** Returns with what a future fails in place of a failure. */
    Throwable ofFuture(Throwable failure, Object key) {
        Throwable cause = failure.getCause();
        return of(failure instanceof CompletionException && cause != null ? cause : failure, key);
    }

    private Throwable of(Throwable failure, Object key) {
        if (failure instanceof LoadException) {
            Throwable cause = failure.getCause();
            return cause == null ? failure : cause;
        }
        if (failure instanceof WaitTimeoutException wait) {
            String waited = shown(key) + "; waited " + text(policy.waitTimeout());
            return wait.isOfStore()
                    ? WaitTimeoutException.ofStore(text("no answer for " + waited, "wait-timeout") + reason(wait), wait)
                    : new WaitTimeoutException(
                            text("another call still computes " + waited, "wait-timeout") + lastComputation(), wait);
        }
        if (failure instanceof LoadTimeoutException) {
            return because(
                    new LoadTimeoutException(text(
                            "the computation of " + shown(key) + " took longer than " + text(policy.loadTimeout()),
                            "load-timeout")),
                    failure);
        }
        if (failure instanceof RecentLoadFailureException recent) {
            return because(
                    new RecentLoadFailureException(
                            text(
                                    "the computation of " + shown(key) + " has just failed with " + recent.failureType()
                                            + "; it is tried again in "
                                            + text(recent.retryAfter()),
                                    "failure-cool-down"),
                            recent.failureType(),
                            recent.failureMessage(),
                            recent.retryAfter()),
                    failure);
        }
        if (failure instanceof OriginBusyException busy) {
            String what = "no computation of " + shown(key) + " could begin";
            return busy.isWithoutPermit()
                    ? OriginBusyException.withoutPermit(withoutPermit(what), busy)
                    : new OriginBusyException(text(what) + "." + reason(busy), busy); // executors are no properties
        }
        return failure;
    }

    private String withoutPermit(String what) {
        String others = what + " beside " + policy.maxConcurrentLoads() + " others";
        Integer budget = policy.originBudget();
        return budget == null
                ? text(others, "max-concurrent-loads")
                : text(others + ", or within the budget of " + budget, "max-concurrent-loads, .origin-budget");
    }

    private static String reason(Throwable failure) {
        return " Reason: " + failure.getMessage();
    }

    private static Throwable because(Throwable failure, Throwable cause) {
        return failure.initCause(cause);
    }

    private String text(String what, String property) {
        return text(what) + " (" + CacheNames.property(name, property) + ").";
    }

    private String text(String what) {
        return "Cache '" + name + "': " + what;
    }

    private String lastComputation() {
        long nanos = lastNanos.get();
        return nanos == 0 ? "" : " The last computation took " + text(Duration.ofNanos(nanos)) + ".";
    }

    private static String text(Duration length) {
        long millis = length.toMillis();
        return millis >= 1_000 && millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }

    private static String shown(Object key) {
        return KeyEncoder.printable(key instanceof Object[] parts ? Arrays.deepToString(parts) : String.valueOf(key));
    }
}
