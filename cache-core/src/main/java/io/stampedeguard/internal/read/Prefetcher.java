package io.stampedeguard.internal.read;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.internal.call.OriginGuard;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.report.PrefetchResult;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A warm-up at a bounded rate:
 * <ol>
 *   <li>Take each key once, in batches.
 *   <li>Wait while the {@link OriginGuard} defers what nobody waits for.
 *   <li>Request a batch like any caller: cached keys are not loaded. A batch that fails is counted, and does not end the warm-up.
 *   <li>Report the progress.
 *   <li>Before the next batch, wait until the time that the rate allows for this batch has passed.
 * </ol>
 *
 * <p>An instance is used once; <em>not thread-safe</em>.
 */
public final class Prefetcher<K> {
    private static final int BATCH_SIZE = 100;
    private static final int KEYS_PER_SECOND = 1_000;

    private final List<K> keys;
    private final OriginGuard guard;
    private final String cache;
    private final TimeSource time;
    private final CacheEvents events;
    private int present;
    private int absent;
    private int failed;

    public Prefetcher(
            Collection<? extends K> keys, CacheContext context, KeyAdmission<K> admission, OriginGuard guard) {
        keys.forEach(admission::storeKey); // fails before anything is loaded
        this.keys = new ArrayList<>(new LinkedHashSet<>(keys));
        this.guard = guard;
        this.cache = context.name();
        this.time = context.time();
        this.events = context.events();
    }

    /** Runs the warm-up, by reads of many keys at once. */
    public PrefetchResult run(Function<List<K>, Map<K, ?>> ask) {
        int done = 0;
        while (done < keys.size()) {
            while (guard.state() == OriginState.DEFERRED) {
                pauseUntil(time.monotonicNanos() + TimeUnit.SECONDS.toNanos(1), done);
            }
            long began = time.monotonicNanos();
            List<K> batch = keys.subList(done, Math.min(keys.size(), done + BATCH_SIZE));
            boolean cutOff = !answered(batch, ask) && Thread.currentThread().isInterrupted();
            done += batch.size();
            events.report(EventType.PREFETCHED, done);
            if (cutOff) {
                throw interrupted(done, new InterruptedException("during a batch"));
            }
            if (done < keys.size()) {
                pauseUntil(began + TimeUnit.SECONDS.toNanos(batch.size()) / KEYS_PER_SECOND, done);
            }
        }
        return new PrefetchResult(keys.size(), present, absent, failed);
    }

    private boolean answered(List<K> batch, Function<List<K>, Map<K, ?>> ask) {
        int answers;
        int failures = 0;
        try {
            answers = ask.apply(batch).size();
        } catch (BulkLoadException e) {
            answers = e.values().size();
            failures = e.failures().size();
            events.fault(FaultSource.LOADER, e);
        }
        present += answers;
        failed += failures;
        absent += batch.size() - answers - failures;
        return failures == 0;
    }

    private void pauseUntil(long nanos, int done) {
        try {
            time.await(new CountDownLatch(1), nanos - time.monotonicNanos());
        } catch (InterruptedException e) {
            throw interrupted(done, e);
        }
    }

    private WaitInterruptedException interrupted(int done, InterruptedException e) {
        return Failures.interruptedPrefetch(cache, done, keys.size(), e);
    }
}
