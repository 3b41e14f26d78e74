package io.stampedeguard.internal.observe;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions for callers, with their messages. */
public final class Failures {
    /** How long a caller waits, whichever of both is shorter. */
    private static final String IN_TIME = " within the waitTimeout or the maxWait of the call";

    private Failures() {}

    public static OriginBusyException noPermit(String storeKey) {
        return OriginBusyException.withoutPermit(
                "no permit became free to load " + KeyEncoder.shown(storeKey) + IN_TIME
                        + ": maxConcurrentLoads loads are running, or this process's share of the"
                        + " originBudget",
                null);
    }

    /** Returns the exception for a caller whose cache was closed before it had an answer. */
    public static IllegalStateException closedMeanwhile(String cache) {
        return new IllegalStateException("cache '" + cache + "' was closed");
    }

    /** Returns the exception for an asynchronous caller for which no thread was free. */
    public static OriginBusyException noThread(String storeKey) {
        return new OriginBusyException("no thread became free to read or load " + KeyEncoder.shown(storeKey)
                + " within the waitTimeout: the threads for asynchronous callers are busy, or the store is slow");
    }

    /** Returns the exception for an asynchronous caller whose read of the store did not end in time. */
    public static WaitTimeoutException noAnswer(String storeKey) {
        return WaitTimeoutException.ofStore(
                "the store did not answer the read of " + KeyEncoder.shown(storeKey)
                        + " within the waitTimeout: it is slow, or no connection is free",
                null);
    }

    public static OriginBusyException rejectedByAsyncExecutor(String storeKey, Throwable rejection) {
        return new OriginBusyException(
                "the executor for asynchronous callers rejected the call for " + KeyEncoder.shown(storeKey), rejection);
    }

    public static OriginBusyException rejectedByLoaderExecutor(String storeKey, Throwable rejection) {
        return new OriginBusyException(
                "the loaderExecutor rejected the load of " + KeyEncoder.shown(storeKey), rejection);
    }

    /** Returns the exception for a load that was cut off before its loader was called. */
    public static OriginBusyException notBegun(String storeKey) {
        return new OriginBusyException("no thread began to load " + KeyEncoder.shown(storeKey)
                + " within the loadTimeout: those of the loaderExecutor are busy");
    }

    /** Returns the exception for a caller that waited for another one in this process. */
    public static WaitTimeoutException waitTimeout(String storeKey) {
        return new WaitTimeoutException("the load of " + KeyEncoder.shown(storeKey) + " did not end" + IN_TIME);
    }

    /** Returns the exception for a caller that waited for another process. */
    public static WaitTimeoutException waitTimeout(String storeKey, @Nullable LeaseToken holder) {
        return new WaitTimeoutException("the load of " + KeyEncoder.shown(storeKey) + " by "
                + (holder == null ? "an unknown process" : holder) + " did not end" + IN_TIME);
    }

    /**
     * Returns the exception for one of the keys that a call loads one by one, and for which it had no time left to wait; {@code wait}
     * is the one for a wait.
     */
    public static CacheException notWaitedFor(String storeKey, CacheException wait) {
        String key = KeyEncoder.shown(storeKey);
        String spent = ", and this call had no time left to wait for it: another of its keys took the waitTimeout";
        if (wait instanceof OriginBusyException) {
            return OriginBusyException.withoutPermit("no permit was free to load " + key + spent, null);
        }
        Throwable shortage = wait.getCause();
        return shortage == null
                ? new WaitTimeoutException(key + " was being loaded by another caller" + spent)
                : WaitTimeoutException.ofStore(
                        "no connection to the store was free to read or load " + key + spent, shortage);
    }

    /** Returns the exception for a caller that waited for a connection to the store. */
    public static WaitTimeoutException noConnection(String storeKey, Throwable shortage) {
        return WaitTimeoutException.ofStore(
                "no connection to the store became free to read or load " + KeyEncoder.shown(storeKey) + IN_TIME
                        + ": use more connections, or fewer threads",
                shortage);
    }

    /** Returns the exception for an interrupted caller, and sets the interrupt flag again. */
    public static WaitInterruptedException interrupted(String storeKey, Throwable cause) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException("interrupted while waiting for " + KeyEncoder.shown(storeKey), cause);
    }

    /** Returns the exception for an interrupted prefetch, and sets the interrupt flag again. */
    public static WaitInterruptedException interruptedPrefetch(String cache, int done, int total, Throwable cause) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException(
                "interrupted while prefetching for cache '" + cache + "', after " + done + " of " + total + " keys",
                cause);
    }

    /** Returns the exception for many keys; the maps must not be modified afterwards. */
    public static BulkLoadException bulk(String cache, int asked, Map<?, ?> values, Map<?, CacheException> failures) {
        CacheException first = failures.values().iterator().next();
        return new BulkLoadException(
                failures.size() + " of " + asked + " keys of cache '" + cache + "' have no answer; the first failure: "
                        + first.getMessage() + rootOf(first),
                values,
                failures);
    }

    /** Returns the root cause for the end of a message, empty if the exception has no cause. */
    private static String rootOf(Throwable failure) {
        List<Throwable> chain = Thrown.withCauses(failure);
        return chain.size() == 1 ? "" : " (" + Thrown.textOf(chain.get(chain.size() - 1)) + ")";
    }
}
