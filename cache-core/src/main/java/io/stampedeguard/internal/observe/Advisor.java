package io.stampedeguard.internal.observe;

import io.stampedeguard.event.Advice;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the policy with observations, and gives each advice once, with the figures. The policy alone is checked when the
 * cache is built; load times after each hundred calls of the loader; shortages of the store when it could not be
 * asked. <em>Thread-safe.</em> No cost for hits.
 */
public final class Advisor {
    private static final int EACH = 100;
    private static final long SLOW_MILLIS = 100;

    private final Set<Advice> given = ConcurrentHashMap.newKeySet();
    private final LoadTimes loadTimes = new LoadTimes();
    private final String cache;
    private final CachePolicy policy;
    private final SharedStore store;
    private final Supplier<@Nullable FilterState> filter;
    private final CacheEvents events;
    private final AtomicLong comparedCalls = new AtomicLong();
    private final AtomicLong loaded = new AtomicLong();

    public Advisor(
            String cache,
            CachePolicy policy,
            SharedStore store,
            Supplier<@Nullable FilterState> filter,
            CacheEvents events) {
        this.cache = cache;
        this.policy = policy;
        this.store = store;
        this.filter = filter;
        this.events = events;
    }

    /** Checks the policy when the cache is built. */
    public void opened() {
        if (policy.negativeTtl().compareTo(policy.softTtl()) > 0) {
            give(
                    Advice.NEGATIVE_LONGER_THAN_VALUES,
                    "negativeTtl %s is longer than softTtl %s: a new row stays unseen for longer than a changed row stays stale; lower the negativeTtl",
                    policy.negativeTtl(),
                    policy.softTtl());
        }
    }

    /** Counts a call of the loader, for one key or for many, that took the given time. */
    void called(long nanos) {
        loadTimes.add(nanos);
    }

    /** Called when the load of one key has ended, with everything after the call. */
    void loaded() {
        compareWithCalls();
        if (loaded.incrementAndGet() % EACH == 0) {
            compareWithFilter();
        }
    }

    /** Called when no connection to the store was free. */
    void shortOf(StoreException failure) {
        String shortage = given.contains(Advice.STORE_TOO_SMALL) ? null : store.shortage();
        give(
                Advice.STORE_TOO_SMALL,
                "%s. Raise the number of connections up to the number of callers, unless the store is slow",
                shortage == null ? Thrown.textOf(failure) : shortage);
    }

    /** Called when a loaded value was not the same once it was encoded and decoded. */
    void valueChanged(Class<?> key, Class<?> value, Class<?> decoded, String difference) {
        give(
                Advice.VALUE_CHANGED_BY_CODEC,
                "a value is another one when it is read back: %s (key %s, loaded %s, decoded %s). Only the caller that loads gets the loaded value; declare a type that the codec keeps, or configure the codec",
                difference,
                key.getTypeName(),
                value.getTypeName(),
                decoded.getTypeName());
    }

    /** Compares once after each hundred calls: of loads that end concurrently, one compares. */
    private void compareWithCalls() {
        long seen = comparedCalls.get();
        long calls = loadTimes.calls();
        if (calls - seen >= EACH && comparedCalls.compareAndSet(seen, calls - calls % EACH)) {
            LoadTimes.Seen times = loadTimes.seen();
            compareWithLoads(times.millisAt(0.99), times.counted());
        }
    }

    private void compareWithLoads(long p99, long loads) {
        if (p99 > policy.leaseTtl().toMillis()) {
            give(
                    Advice.LEASE_SHORTER_THAN_LOADS,
                    "%s, longer than the leaseTtl %s: a process that stalls for that long loses its lease during a load; raise the leaseTtl",
                    seen(p99, loads),
                    policy.leaseTtl());
        }
        if (p99 > policy.waitTimeout().toMillis()) {
            give(
                    Advice.WAIT_SHORTER_THAN_LOADS,
                    "%s, longer than the waitTimeout %s: callers give up before there is an answer; raise the waitTimeout or speed up the loader",
                    seen(p99, loads),
                    policy.waitTimeout());
        }
        if (!policy.servesStale() && p99 > SLOW_MILLIS) {
            give(
                    Advice.NOTHING_STALE_ON_SLOW_LOADS,
                    "%s, and the hardTtl equals the softTtl %s: callers wait at each expiry; with a longer hardTtl they get the stale value",
                    seen(p99, loads),
                    policy.softTtl());
        }
    }

    private static String seen(long p99, long loads) {
        return String.format(Locale.ROOT, "the p99 of %,d loads is at least %,d ms", loads, p99);
    }

    private void compareWithFilter() {
        FilterState state = filter.get();
        if (state != null && state.isSaturated()) {
            give(
                    Advice.FILTER_TOO_SMALL,
                    "the key filter contains about %,d keys but was sized for %,d: it lets %.3f of nonexistent keys pass, not %.3f; rebuild it with more expectedKeys",
                    state.estimatedKeys(),
                    state.expectedKeys(),
                    state.estimatedRate(),
                    state.designRate());
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // not worth a dependency
    private void give(Advice advice, String format, Object... figures) {
        if (given.add(advice)) {
            String words = String.format(Locale.ROOT, format, figures);
            FaultLog.advise(cache, advice, words);
            events.advice(advice, words);
        }
    }

    /**
     * The times of the last calls of the loader: a histogram with four buckets per doubling, so that a reported time may be too
     * short by up to a fifth. All counts are halved after each thousand calls, so old calls count less and less, and a loader
     * that becomes slow is detected within tens of calls, however many calls there were before. <em>Thread-safe.</em>
     */
    static final class LoadTimes {
        private static final int FOR_EACH_DOUBLING = 4;
        private static final int HALVED_AFTER = 1_000;

        private final AtomicLongArray counts = new AtomicLongArray(44 * FOR_EACH_DOUBLING); // up to 2^44 µs
        private final AtomicLong calls = new AtomicLong();

        void add(long nanos) {
            double micros = Math.max(1, nanos / 1_000.0);
            int bucket = (int) (Math.log(micros) / Math.log(2) * FOR_EACH_DOUBLING);
            counts.incrementAndGet(Math.min(bucket, counts.length() - 1));
            if (calls.incrementAndGet() % HALVED_AFTER == 0) {
                halve();
            }
        }

        private void halve() {
            for (int bucket = 0; bucket < counts.length(); bucket++) {
                counts.updateAndGet(bucket, count -> count / 2);
            }
        }

        long calls() {
            return calls.get();
        }

        /** Returns a snapshot of the calls so far, because the counts change concurrently. */
        Seen seen() {
            long[] copy = new long[counts.length()];
            for (int bucket = 0; bucket < copy.length; bucket++) {
                copy[bucket] = counts.get(bucket);
            }
            return new Seen(copy);
        }

        /** A snapshot of the calls. <em>Immutable.</em> */
        static final class Seen {
            private final long[] counts;

            private Seen(long[] counts) {
                this.counts = counts;
            }

            /** Returns how many of the calls still count. */
            long counted() {
                return LongStream.of(counts).sum();
            }

            /** Returns a lower bound of a percentile: the time within which the given share of the calls ended. */
            long millisAt(double share) {
                long wanted = (long) Math.ceil(counted() * share);
                int bucket = 0;
                long seen = counts[0];
                while (seen < wanted) {
                    seen += counts[++bucket];
                }
                return (long) (Math.pow(2, (double) bucket / FOR_EACH_DOUBLING) / 1_000);
            }
        }
    }
}
