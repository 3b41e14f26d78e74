package io.stampedeguard;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.near.Copy;
import io.stampedeguard.near.Ticket;
import io.stampedeguard.report.KeyReport;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The way of one {@code get} or {@code getAll}:
 *
 * <ol>
 *   <li>look into the near cache, if there is one;
 *   <li>read the store: one plain read, no more on a hit;
 *   <li><em>fresh</em>: return it; <em>stale</em>: return it at once; in either case have it reloaded in the background if
 *       that is due;
 *   <li>what is left is the {@link MissResolver}'s.
 * </ol>
 *
 * <p>While the store does not answer, a copy that the near cache took a moment ago comes before the loader, and an older
 * one before an exception. <em>Thread-safe.</em>
 */
final class ReadPath<K, V> implements AutoCloseable {
    private final CacheParts<K, V> parts;
    private final KeyNames<K> keys;
    private final Copies<V> copies;
    private final NearSide<K, V> near;
    private final NearReads<K, V> nearReads;
    private final StoreReads<K, V> reads;
    private final SingleFlight<Outcome<V>> flights;
    private final StandIns<K, V> standIns;
    private final AsyncReads<K, V> asyncReads;
    private final RefreshQueue refreshQueue;
    private final BackgroundRefresh<K, V> refresh;
    private final MissResolver<K, V> misses;
    private final Explanation<K, V> explanation;
    private final Gauges gauges;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;

    ReadPath(CacheParts<K, V> parts) {
        this.parts = parts;
        this.keys = parts.keys();
        this.copies = parts.copies();
        this.near = parts.near();
        ReadParts<K, V> shared = ReadParts.of(parts);
        this.nearReads = shared.nearReads();
        this.flights = shared.flights();
        this.reads = shared.reads();
        this.standIns = shared.standIns();
        this.refresh = shared.refresh();
        this.refreshQueue = shared.refreshQueue();
        this.misses = new MissResolver<>(parts, shared);
        this.asyncReads = new AsyncReads<>(parts, shared);
        this.explanation = new Explanation<>(parts, flights);
        this.gauges = new Gauges(
                shared.load().gate(),
                parts.policy().maxConcurrentLoads(),
                shared.load().calls()::stuck,
                parts.events(),
                near.cache(),
                parts.admission());
        this.waitTimeout = parts.policy().waitTimeout();
        this.time = parts.time();
        this.events = parts.events();
    }

    @Nullable
    V get(K key, Loader<? super K, ? extends V> loader) {
        Copy<V> copy = nearReads.hit(key, loader);
        return copy != null ? copies.of(copy.value()) : getThroughStore(key, keys.of(key), loader);
    }

    CompletableFuture<@Nullable V> getAsync(K key, AsyncLoader<? super K, ? extends V> loader) {
        return asyncReads.get(key, loader);
    }

    Map<K, V> getAll(Collection<? extends K> asked, BulkLoader<K, V> loader) {
        Batch<K, V> batch = Batch.of(asked, parts, standIns);
        List<NamedKey<K>> due = new ArrayList<>();
        List<NamedKey<K>> open = nearReads.hits(batch, due);
        misses.read(open, due, batch, LoadFunction.ofAll(loader), Deadline.in(waitTimeout, time));
        return batch.result();
    }

    private @Nullable V getThroughStore(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        long began = time.monotonicNanos();
        Look<K, V> look;
        try {
            look = reads.look(key, storeKey, waitTimeout);
        } catch (WaitTimeoutException | WaitInterruptedException e) {
            Batch<K, V> batch = Batch.ofOne(key, storeKey, parts, standIns);
            batch.failure(Look.unanswered(key, storeKey, Ticket.NONE), e);
            return batch.only();
        }
        Stored<V> stored = look.stored();
        if (stored == null) {
            return load(look, loader, Deadline.after(began, waitTimeout, time));
        }
        if (stored.isDue()) {
            refresh.offer(look, loader);
        }
        events.answer(stored);
        return copies.of(stored.value());
    }

    private @Nullable V load(Look<K, V> look, Loader<? super K, ? extends V> loader, Deadline deadline) {
        Batch<K, V> batch = Batch.ofOne(look.key(), look.storeKey(), parts, standIns);
        try {
            misses.resolve(List.of(look), batch, LoadFunction.ofEach(loader), deadline);
        } catch (Error e) { // the loader's, which is the caller's as it is
            events.answer(AnswerSource.FAILED);
            throw e;
        }
        return batch.only();
    }

    /** Lets nobody who comes later be answered by what was read or loaded before, nor rest for a cool-down that was ended. */
    void outdate(String storeKey) {
        near.outdate(storeKey);
        flights.forget(storeKey);
        refreshQueue.wake(storeKey);
    }

    /** Returns what is known of a key now. */
    KeyReport explain(K key) {
        return explanation.of(key);
    }

    Gauges gauges() {
        return gauges;
    }

    int reloading() {
        return refreshQueue.reloading();
    }

    @Override
    public void close() {
        refreshQueue.close();
        asyncReads.close();
        near.close();
    }
}
