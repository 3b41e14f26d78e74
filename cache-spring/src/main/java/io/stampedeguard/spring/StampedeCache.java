package io.stampedeguard.spring;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.spring.internal.call.ByHand;
import io.stampedeguard.spring.internal.call.GuardedCache;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;

/**
 * A Spring cache whose loads are guarded in the whole fleet: {@link #get(Object, Callable)} and {@link #retrieve(Object, Supplier)}
 * call their loader once per key and expiry. Annotated methods use it through the same two methods. <em>Thread-safe.</em>
 *
 * <p>{@link #get(Object)} and {@link #put} cannot know of each other: concurrent callers each compute the value. A {@code put} by a
 * thread whose look-up of the key has found nothing is bound to that look-up; if the key was changed since, it removes the key. To state
 * a change after such a look-up, {@link #evict} the key first. A value that cannot be encoded, or is too large, removes the key.
 *
 * <p>In a transaction of Spring, changes take effect after the commit. Failures of the store are not thrown by reads, nor by changes
 * unless {@code on-store-failure} says so. A key must be a string, number, enum, or another type that has a text, or a composite of
 * such; otherwise methods throw an {@link IllegalArgumentException}.
 */
public final class StampedeCache implements Cache {
    private final GuardedCache guarded;
    private final ByHand byHand;

    StampedeCache(GuardedCache guarded) {
        this.guarded = guarded;
        this.byHand = new ByHand(guarded);
    }

    GuardedCache guarded() {
        return guarded;
    }

    @Override
    public String getName() {
        return guarded.name();
    }

    /** {@return the guarded cache, whose keys are texts; for statistics, reports, and hot keys} */
    @Override
    public StampedeGuardedCache<String, ?> getNativeCache() {
        return guarded.core();
    }

    @Override
    public @Nullable ValueWrapper get(Object key) {
        return byHand.get(key, (Class<?>) null);
    }

    /**
     * {@return the value of a key; {@code null} if there is none, or if that is what the cache has}
     *
     * @param key the key
     * @param type the type of the value; {@code null}: any
     * @throws IllegalStateException if the cache has a value of another type
     */
    @Override
    public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
        ValueWrapper found = byHand.get(key, type);
        @SuppressWarnings("unchecked") // a caller without a type expects what it gets
        T value = found == null ? null : (T) found.get();
        return value;
    }

    /**
     * {@return the value of a key, or {@code null} if the loader has returned that}
     *
     * @param key the key
     * @param loader computes the value; not invoked if there is one, or if another caller in the fleet computes it
     * @throws ValueRetrievalException with what the loader has thrown, for all who waited for it, or with an exception of the library
     */
    @Override
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        return byHand.get(key, loader);
    }

    @Override
    public CompletableFuture<?> retrieve(Object key) {
        return byHand.retrieve(key);
    }

    @Override
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
        return byHand.retrieve(key, loader);
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        byHand.put(key, value);
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        return byHand.putIfAbsent(key, value);
    }

    @Override
    public void evict(Object key) {
        byHand.evict(key, false);
    }

    /**
     * Removes a key at once, and in a transaction once more after the commit.
     *
     * @return false: what was there is not known
     */
    @Override
    public boolean evictIfPresent(Object key) {
        byHand.evict(key, true);
        return false;
    }

    /** Removes all keys, by one command. */
    @Override
    public void clear() {
        byHand.clear(false);
    }

    /**
     * Removes all keys at once, and in a transaction once more after the commit.
     *
     * @return false: what was there is not known
     */
    @Override
    public boolean invalidate() {
        byHand.clear(true);
        return false;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return "StampedeCache[" + getName() + "]";
    }
}
