package io.stampedeguard.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.spring.StampedeCache;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters that Boot has for each cache: {@code cache.gets}, {@code cache.puts}, and {@code cache.evictions}. Boot binds those of
 * the caches that exist when the application starts; here they are bound when a cache is created, with the same tags.
 * <em>Thread-safe.</em>
 */
final class StandardMeters implements CacheObserver {
    private static final Set<AnswerSource> HITS = EnumSet.of(
            AnswerSource.NEAR,
            AnswerSource.NEAR_DEGRADED,
            AnswerSource.STORE,
            AnswerSource.STALE,
            AnswerSource.NEGATIVE);

    private final Supplier<MeterRegistry> registry;
    private final Map<String, Counts> counts = new ConcurrentHashMap<>();

    StandardMeters(Supplier<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public void configure(StampedeGuardedCacheBuilder<?, ?> cache) {
        cache.listener(new Counts());
    }

    @Override
    public void created(StampedeCache cache) {
        binder(cache, usualTags(cache)).bindTo(registry.get());
    }

    /** The tags that Boot binds a cache of our manager with. */
    private static Tags usualTags(StampedeCache cache) {
        return Tags.of("cache.manager", "cacheManager", "name", cache.getName());
    }

    /** Returns the meters of a cache for a registrar; none if it asks for those that are there since the cache was created. */
    MeterBinder binderOnce(StampedeCache cache, Iterable<Tag> tags) {
        return Tags.of(tags).equals(usualTags(cache)) ? bound -> {} : binder(cache, tags);
    }

    private MeterBinder binder(StampedeCache cache, Iterable<Tag> tags) {
        Counts counted = counts.computeIfAbsent(cache.getNativeCache().name(), name -> new Counts());
        return new CacheMeterBinder<>(cache, cache.getName(), tags) {
            @Override
            protected @Nullable Long size() {
                return null; // known to the store only
            }

            @Override
            protected long hitCount() {
                return counted.hits.sum();
            }

            @Override
            protected Long missCount() {
                return counted.misses.sum();
            }

            @Override
            protected Long evictionCount() {
                CacheGauges gauges = counted.gauges;
                return gauges == null ? 0 : gauges.nearEvictions();
            }

            @Override
            protected long putCount() {
                return counted.puts.sum();
            }

            @Override
            protected void bindImplementationSpecificMetrics(MeterRegistry to) {}
        };
    }

    /** What one cache has done: one addition for a hit. */
    private final class Counts implements CacheListener {
        final LongAdder hits = new LongAdder();
        final LongAdder misses = new LongAdder();
        final LongAdder puts = new LongAdder();
        volatile @Nullable CacheGauges gauges;

        @Override
        public void onOpen(String cache, CacheGauges opened) {
            gauges = opened;
            counts.put(cache, this);
        }

        @Override
        public void onRead(String cache, AnswerSource source) {
            (HITS.contains(source) ? hits : misses).increment();
        }

        @Override
        public void onEvent(String cache, CacheEvent event) {
            if (event.type() == EventType.STORED) {
                puts.increment();
            }
        }
    }
}
