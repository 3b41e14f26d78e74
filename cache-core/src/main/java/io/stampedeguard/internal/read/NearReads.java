package io.stampedeguard.internal.read;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.load.Batch;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.refresh.BackgroundRefresh;
import io.stampedeguard.internal.storage.NamedKey;
import io.stampedeguard.internal.storage.NearTier;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers from the near cache, if there is one: the first step of every read. Due entries are served, and reloaded in the
 * background. A hit for one key takes no lock and allocates nothing. <em>Thread-safe.</em>
 */
public final class NearReads<K, V> {
    private final @Nullable NearCache<K, V> near;
    private final BackgroundRefresh<K, V> refresh;
    private final TimeSource time;
    private final CacheEvents events;

    public NearReads(CacheContext context, NearTier<K, V> near, BackgroundRefresh<K, V> refresh) {
        this.near = near.cache();
        this.refresh = refresh;
        this.time = context.time();
        this.events = context.events();
    }

    /** Returns the copy to serve; {@code null} if there is none, or no key. */
    @Nullable
    Copy<V> hit(K key, Loader<? super K, ? extends V> loader) {
        if (near == null || key == null) {
            return null;
        }
        long now = time.monotonicNanos();
        Copy<V> copy = near.get(key, now);
        if (copy != null) {
            events.answer(AnswerSource.NEAR);
            if (copy.isDue(now)) {
                refresh.offerCopy(key, copy.storeKey(), loader);
            }
        }
        return copy;
    }

    /** Returns the copy to serve, without requesting a reload; {@code null} if there is none. */
    @Nullable
    Copy<V> peek(K key) {
        Copy<V> copy = near == null || key == null ? null : near.get(key, time.monotonicNanos());
        if (copy != null) {
            events.answer(AnswerSource.NEAR);
        }
        return copy;
    }

    /**
     * Answers keys of a batch; returns those without an answer, and adds those that are due to the given list. Otherwise
     * identical to {@link #hit}.
     */
    List<NamedKey<K>> hits(Batch<K, V> batch, List<NamedKey<K>> due) {
        if (near == null) {
            return batch.keys();
        }
        List<NamedKey<K>> open = new ArrayList<>();
        long now = time.monotonicNanos();
        for (NamedKey<K> each : batch.keys()) {
            Copy<V> copy = near.get(each.key(), now);
            if (copy == null) {
                open.add(each);
                continue;
            }
            events.answer(AnswerSource.NEAR);
            batch.value(each.key(), copy.value());
            if (copy.isDue(now)) {
                due.add(each);
            }
        }
        if (!due.isEmpty()) {
            addThoseMadeTogether(near, batch.keys(), due, now);
        }
        return open;
    }

    /**
     * Adds keys that were loaded together. Whether they are reloaded, too, is decided after the store was read ({@link
     * BackgroundRefresh}).
     */
    private void addThoseMadeTogether(NearCache<K, V> copies, List<NamedKey<K>> keys, List<NamedKey<K>> due, long now) {
        Set<Long> created = new HashSet<>();
        Map<NamedKey<K>, Long> others = new LinkedHashMap<>();
        for (NamedKey<K> each : keys) {
            Copy<V> copy = copies.get(each.key(), now);
            if (copy != null && copy.isDue(now)) {
                created.add(copy.createdMillis());
            } else if (copy != null) {
                others.put(each, copy.createdMillis());
            }
        }
        others.forEach((each, at) -> {
            if (created.stream().anyMatch(dueAt -> BackgroundRefresh.wereMadeTogether(dueAt, at))) {
                due.add(each);
            }
        });
    }
}
