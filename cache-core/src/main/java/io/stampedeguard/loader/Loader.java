package io.stampedeguard.loader;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A function that reads a value from the origin. Invoked at most once per key and expiry in the whole fleet, on the thread of the
 * caller that leads (or, for a stale entry, on a background thread of the cache), outside any lock. The meaning of each result:
 * <ul>
 *   <li>a value: stored, and returned to all waiting callers; within one process, all get the <em>same</em> object;
 *   <li>{@code null}: the origin has none; cached for the negative TTL;
 *   <li>an exception: nothing is stored, and each waiting caller gets its own {@link LoadException} with this exception as cause;
 *   <li>an {@link Error}: the same for waiting callers, and rethrown unchanged to the caller that leads;
 *   <li>an {@link InterruptedException}: a {@link LoadException} for the caller that leads, whose interrupt flag is set again;
 *       the others retry, and one of them loads.
 * </ul>
 *
 * <p>Loaders are <em>thread-safe</em>: different keys are loaded concurrently.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface Loader<K, V> {
    /**
     * {@return the value of a key, or {@code null} if the origin has none}
     *
     * @param key the key
     * @throws Exception if the origin cannot answer
     */
    @Nullable
    V load(K key) throws Exception;

    /**
     * {@return the given adaptive loader} Lets the compiler accept a lambda with two parameters as a loader.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param loader the loader
     */
    static <K, V> Loader<K, V> adaptive(AdaptiveLoader<K, V> loader) {
        return loader;
    }

    /**
     * {@return a new loader that passes keys on to a bulk loader together, as far as callers need them at the same time} Otherwise
     * identical to {@link #gathering(BulkLoader, int, Duration)}, with a delay of 2 ms.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param loader reads the origin
     * @param maxKeys the maximum number of keys of one call, at least 1
     */
    static <K, V> Loader<K, V> gathering(BulkLoader<K, V> loader, int maxKeys) {
        return gathering(loader, maxKeys, GatheringLoader.USUAL_DELAY);
    }

    /**
     * {@return a new loader that passes keys on to a bulk loader together, as far as callers need them at the same time} Create it
     * once, and use it for all calls:
     * <pre>{@code
     * Loader<Long, Product> loader = Loader.gathering(dao::findAllById, 100);
     * Product product = products.get(42L, loader); // or builder.loader(loader)
     * }</pre>
     *
     * <p>While no call is in progress and no key waits, a key is passed on at once. Otherwise it waits for others: until no call is in
     * progress any more, until there are {@code maxKeys}, or until the first of them has waited for {@code maxDelay}. The load of that
     * first one then invokes the bulk loader, on the thread on which it runs. Reloads in the background are gathered as well. To the
     * cache, each key is a load of its own, with its own lease, permit, and {@code loadTimeout}: a call has no more keys of one cache
     * than it has loads that run at once.
     *
     * <p>If the load that invokes the bulk loader is interrupted, or its time is over, the call ends without a result; the others
     * begin again in what is left of their time, one of them alone, and the rest together. If another load is interrupted, or its time
     * is over, the call goes on, with its key if it had begun. An exception of the bulk loader fails all keys of the call.
     *
     * <p>The bulk loader runs with the transaction, tenant, and context of one of the callers, and must not depend on them. If it
     * requests keys that it is loading itself, it waits until a timeout. For {@code getAll}, pass the bulk loader itself. To set the TTLs of values, use {@link AdaptiveLoader#gathering}.
     *
     * @param <K> the type of the keys; they need {@code equals} and {@code hashCode}
     * @param <V> the type of the values
     * @param loader reads the origin
     * @param maxKeys the maximum number of keys of one call, at least 1
     * @param maxDelay how long a key waits for others at most, more than zero, and at most one second
     * @throws IllegalArgumentException if {@code maxKeys} or {@code maxDelay} is out of range
     */
    static <K, V> Loader<K, V> gathering(BulkLoader<K, V> loader, int maxKeys, Duration maxDelay) {
        return AdaptiveLoader.gathering(GatheringLoader.plain(requireNonNull(loader, "loader")), maxKeys, maxDelay);
    }
}
