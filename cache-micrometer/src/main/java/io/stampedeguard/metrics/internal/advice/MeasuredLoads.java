package io.stampedeguard.metrics.internal.advice;

import io.stampedeguard.event.EventType;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.internal.advice.LoadAdvisor;
import io.stampedeguard.policy.CachePolicy;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares the policy of a cache with the times of its loads after each hundred calls of the loader, and the size of its key filter
 * with its content after each hundred loads. <em>Thread-safe.</em> No cost for hits.
 */
final class MeasuredLoads implements LoadAdvisor {
    private static final int EACH = 100;
    private static final long SLOW_MILLIS = 100;

    private final LoadTimes loadTimes = new LoadTimes();
    private final CachePolicy policy;
    private final Supplier<@Nullable FilterState> filter;
    private final BiConsumer<EventType, String> advice;
    private final AtomicLong comparedCalls = new AtomicLong();
    private final AtomicLong loaded = new AtomicLong();

    MeasuredLoads(CachePolicy policy, Supplier<@Nullable FilterState> filter, BiConsumer<EventType, String> advice) {
        this.policy = policy;
        this.filter = filter;
        this.advice = advice;
    }

    @Override
    public void called(long nanos) {
        loadTimes.add(nanos);
    }

    @Override
    public void loaded() {
        compareWithCalls();
        if (loaded.incrementAndGet() % EACH == 0) {
            compareWithFilter();
        }
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
                    EventType.ADVICE_LEASE_SHORTER_THAN_LOADS,
                    "%s, longer than the leaseTtl %s: a process that stalls for that long loses its lease during a load; raise the leaseTtl",
                    seen(p99, loads),
                    policy.leaseTtl());
        }
        if (p99 > policy.waitTimeout().toMillis()) {
            give(
                    EventType.ADVICE_WAIT_SHORTER_THAN_LOADS,
                    "%s, longer than the waitTimeout %s: callers give up before there is an answer; raise the waitTimeout or speed up the loader",
                    seen(p99, loads),
                    policy.waitTimeout());
        }
        if (!policy.servesStale() && p99 > SLOW_MILLIS) {
            give(
                    EventType.ADVICE_NOTHING_STALE_ON_SLOW_LOADS,
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
                    EventType.ADVICE_FILTER_TOO_SMALL,
                    "the key filter contains about %,d keys but was sized for %,d: it lets %.3f of nonexistent keys pass, not %.3f; rebuild it with more expectedKeys",
                    state.estimatedKeys(),
                    state.expectedKeys(),
                    state.estimatedRate(),
                    state.designRate());
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // not worth a dependency
    private void give(EventType subject, String format, Object... figures) {
        advice.accept(subject, String.format(Locale.ROOT, format, figures));
    }
}
