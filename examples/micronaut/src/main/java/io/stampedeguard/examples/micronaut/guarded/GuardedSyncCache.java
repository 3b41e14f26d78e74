package io.stampedeguard.examples.micronaut.guarded;

import static java.util.Objects.requireNonNull;

import io.micronaut.cache.SyncCache;
import io.micronaut.core.type.Argument;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LookupResult;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A guarded cache behind Micronaut's annotations. <em>Thread-safe.</em>
 *
 * <ul>
 *   <li>A method with {@code @Cacheable(atomic = true)} runs once in all processes, however many callers ask for a key at the same
 *       time. It returns a value, or an {@link Optional} of one; {@code null} and the empty one are cached as well.
 *   <li>Without {@code atomic}, and for futures and publishers, Micronaut looks up the key, calls the method, and puts what it
 *       returns. Then nothing is guarded: each caller that misses calls the method, and one that is late may store an old value over
 *       a newer one, also after an invalidation.
 *   <li>The callers of this process get what the method has thrown. Others get a {@link
 *       io.stampedeguard.loader.RecentLoadFailureException} while the key cools down.
 *   <li>A key is one argument of the method. If it has several, {@code parameters} of the annotation names that one.
 * </ul>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class GuardedSyncCache<K, V> implements SyncCache<StampedeGuardedCache<K, V>> {
    private final StampedeGuardedCache<K, V> cache;
    private final Class<K> keyType;
    private final Class<V> valueType;
    private final ExecutorService executor;

    /**
     * Creates a view of a cache.
     *
     * @param cache the cache, which is not closed with this view
     * @param keyType the type of the keys, not a primitive one
     * @param valueType the type of the values
     * @param executor runs what Micronaut does not wait for, and may be blocked
     */
    public GuardedSyncCache(
            StampedeGuardedCache<K, V> cache, Class<K> keyType, Class<V> valueType, ExecutorService executor) {
        this.cache = cache;
        this.keyType = keyType;
        this.valueType = valueType;
        this.executor = executor;
    }

    @Override
    public <T> @Nullable T get(Object key, Argument<T> requiredType, Supplier<T> supplier) {
        checkType(requiredType);
        try {
            return answer(requiredType, cache.get(keyOf(key), same -> valueOf(supplier.get())));
        } catch (LoadException failure) {
            Throwable thrown = failure.getCause();
            throw GuardedSyncCache.<RuntimeException>asItIs(thrown == null ? failure : thrown);
        }
    }

    @Override
    public <T> Optional<T> get(Object key, Argument<T> requiredType) {
        checkType(requiredType);
        V value = cache.getIfPresent(keyOf(key));
        return value == null ? Optional.empty() : Optional.ofNullable(answer(requiredType, value));
    }

    /** If others change the key meanwhile, this is a put before their change: it may be that nothing is stored. */
    @Override
    public <T> Optional<T> putIfAbsent(Object key, T value) {
        K checkedKey = keyOf(key);
        V added = requireNonNull(valueOf(value), "value");
        LookupResult<V> found = cache.lookup(checkedKey);
        V present = found.value();
        if (present == null && !cache.put(checkedKey, added, found.fence())) {
            present = cache.getIfPresent(checkedKey);
        }
        @SuppressWarnings("unchecked") // both are values of this cache
        Optional<T> other = (Optional<T>) Optional.ofNullable(present);
        return other;
    }

    @Override
    public void put(Object key, Object value) {
        V changed = valueOf(value);
        if (changed == null) {
            cache.invalidate(keyOf(key));
        } else {
            cache.put(keyOf(key), changed);
        }
    }

    @Override
    public void invalidate(Object key) {
        cache.invalidate(keyOf(key));
    }

    @Override
    public void invalidateAll() {
        cache.invalidateAll();
    }

    @Override
    public String getName() {
        return cache.name();
    }

    @Override
    public StampedeGuardedCache<K, V> getNativeCache() {
        return cache;
    }

    @Override
    public ExecutorService getExecutorService() {
        return executor;
    }

    private K keyOf(Object key) {
        if (!keyType.isInstance(key)) {
            throw new IllegalArgumentException(difference("keys", keyType, key.getClass())
                    + "; name the parameter that is the key by 'parameters' of the annotation");
        }
        return keyType.cast(key);
    }

    private @Nullable V valueOf(@Nullable Object returned) {
        Object value = returned instanceof Optional<?> optional ? optional.orElse(null) : returned;
        if (value != null && !valueType.isInstance(value)) {
            throw new IllegalArgumentException(difference("values", valueType, value.getClass()));
        }
        return valueType.cast(value);
    }

    /** Refuses methods that return something else, before they are called. */
    private void checkType(Argument<?> required) {
        Argument<?> declared =
                required.isOptional() ? required.getFirstTypeVariable().orElse(Argument.OBJECT_ARGUMENT) : required;
        if (!declared.getWrapperType().isAssignableFrom(valueType)) {
            throw new IllegalArgumentException(difference("values", valueType, declared.getType()));
        }
    }

    @SuppressWarnings("unchecked") // checkType
    private static <T> @Nullable T answer(Argument<T> required, @Nullable Object value) {
        return (T) (required.isOptional() ? Optional.ofNullable(value) : value);
    }

    private String difference(String what, Class<?> declared, Class<?> other) {
        return "cache '" + getName() + "' has " + what + " of " + declared.getName() + ", not of " + other.getName();
    }

    /** Throws what a method has thrown; also a checked exception, which the method has declared. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException asItIs(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
