package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.loader.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a cache: their names in the store, and the check for nonexistent keys before the store is asked. The check asks
 * first the key validator, then the key filter. Both are user callbacks: if they fail, the key may exist. <em>Thread-safe.</em>
 */
public final class KeyAdmission<K> {
    private final String cache;
    private final KeyEncoder<? super K> keyEncoder;
    private final @Nullable Predicate<? super K> keyValidator;
    private final @Nullable KeyFilter<K> filter;
    private final CacheEvents events;

    public KeyAdmission(
            String cache,
            KeyEncoder<? super K> keyEncoder,
            @Nullable Predicate<? super K> keyValidator,
            @Nullable KeyFilter<K> filter,
            CacheEvents events) {
        this.cache = cache;
        this.keyEncoder = keyEncoder;
        this.keyValidator = keyValidator;
        this.filter = filter;
        this.events = events;
    }

    /** A key in both forms: the loader's, and the store's. */
    public record NamedKey<K>(K key, String storeKey) {}

    /** Returns the cache's name, a colon, and the key's text; throws an {@link IllegalArgumentException} if it has no text. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public String storeKey(K key) {
        if (key == null) {
            throw new NullPointerException("null key for cache '" + cache + "'");
        }
        String text;
        try {
            text = keyEncoder.of(key);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            throw new IllegalArgumentException(
                    "cache '" + cache + "': " + KeyEncoder.printable(String.valueOf(Thrown.messageOf(e))), e);
        }
        if (text == null) {
            throw new IllegalArgumentException("keyEncoder of cache '" + cache + "' returned null");
        }
        return cache + ':' + text;
    }

    /** Returns why the origin cannot have a key, {@code null} if it may have it. May block for a round trip. */
    @Nullable
    AnswerSource refusal(K key) {
        if (keyValidator != null && !validate(keyValidator, key)) {
            return AnswerSource.INVALID;
        }
        return filter == null || askFilter(filter, key) ? null : AnswerSource.FILTERED;
    }

    /** Returns the validator's answer for a key, for diagnosis; {@code null} if it threw, which is not reported. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public @Nullable Boolean validity(K key) {
        try {
            return keyValidator == null || keyValidator.test(key);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            return null;
        }
    }

    /** Returns the filter's answer for a key, for diagnosis; {@code null} without one. No fault is reported. May block for a round trip. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public @Nullable EventType filterAnswer(K key) {
        try {
            if (filter == null) {
                return null;
            }
            return filter.mightContain(key) ? EventType.FILTER_MAYBE : EventType.FILTER_ABSENT;
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            return EventType.FILTER_FAILED;
        }
    }

    /** Returns the keys that cannot exist. Otherwise identical to {@link #refusal}. */
    Map<K, AnswerSource> refusals(List<NamedKey<K>> keys) {
        if (keyValidator == null && filter == null) {
            return Map.of();
        }
        Map<K, AnswerSource> refusals = new HashMap<>();
        List<K> valid = new ArrayList<>(keys.size());
        for (NamedKey<K> each : keys) {
            K key = each.key();
            if (keyValidator == null || validate(keyValidator, key)) {
                valid.add(key);
            } else {
                refusals.put(key, AnswerSource.INVALID);
            }
        }
        for (K absent : filter == null ? List.<K>of() : definitelyAbsent(filter, valid)) {
            refusals.put(absent, AnswerSource.FILTERED);
        }
        return refusals;
    }

    /** Checks that a key can be read again once it is stored; throws an {@link IllegalArgumentException} if it is not valid. */
    public void requireValid(K key) {
        if (keyValidator != null && !validate(keyValidator, key)) {
            throw new IllegalArgumentException(
                    "the key " + KeyEncoder.shown(storeKey(key)) + " is rejected by the keyValidator of the cache");
        }
    }

    /** Adds a key that now exists; throws a {@link StoreException} if it may not have been added. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public void add(K key) {
        if (filter == null) {
            return;
        }
        try {
            filter.add(key);
        } catch (StoreException e) {
            throw e;
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            throw new StoreException("could not add " + KeyEncoder.shown(storeKey(key)) + " to the key filter", e);
        }
    }

    /** Returns the state of the filter; {@code null} if there is none, or if it fails. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public @Nullable FilterState filterState() {
        try {
            return filter == null ? null : filter.state();
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.FILTER, e);
            return null;
        }
    }

    /** Records a key that the origin was observed to have. Does not throw. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public void observed(K key) {
        if (filter != null) {
            try {
                filter.observed(key);
            } catch (Throwable e) {
                Thrown.rethrowFatal(e);
                events.fault(FaultSource.FILTER, e);
            }
        }
    }

    /** Asks the validator; a key may be valid if that fails, which is reported. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    private boolean validate(Predicate<? super K> by, K key) {
        try {
            return by.test(key);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.FILTER, e);
            return true;
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private boolean askFilter(KeyFilter<K> by, K key) {
        boolean maybe;
        try {
            maybe = by.mightContain(key);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.FILTER, e);
            events.report(EventType.FILTER_FAILED);
            return true;
        }
        events.report(maybe ? EventType.FILTER_MAYBE : EventType.FILTER_ABSENT);
        return maybe;
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private List<K> definitelyAbsent(KeyFilter<K> by, List<K> keys) {
        List<K> absent;
        try {
            absent = List.copyOf(by.definitelyAbsent(keys)); // fails if it is null
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.FILTER, e);
            report(EventType.FILTER_FAILED, keys.size());
            return List.of();
        }
        report(EventType.FILTER_ABSENT, absent.size());
        report(EventType.FILTER_MAYBE, keys.size() - absent.size());
        return absent;
    }

    private void report(EventType outcome, int times) {
        for (int i = 0; i < times; i++) {
            events.report(outcome);
        }
    }
}
