package io.stampedeguard.testkit;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.Loader;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A loader that counts its loads, and that a test can hold up or make fail:
 * <pre>{@code
 * CountingLoader<Long, Product> products = CountingLoader.of(id -> new Product(id, "lamp"));
 * products.hold();
 * // start callers of cache.get(42L, products) on threads of their own
 * products.awaitRunning(1);
 * products.release();
 * assertThat(products.loads(42L)).isEqualTo(1);
 * }</pre>
 *
 * <p>A load reads the origin first, then waits while loads are held, then returns what it read, or fails. A held load can therefore
 * return a value that the origin no longer has, like a slow transaction. <em>Thread-safe.</em>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class CountingLoader<K, V> implements Loader<K, V> {
    private final Loader<? super K, ? extends V> origin;
    private final Map<K, Integer> loads = new ConcurrentHashMap<>();
    private final Gate gate = new Gate();

    private CountingLoader(Loader<? super K, ? extends V> origin) {
        this.origin = origin;
    }

    /**
     * Creates a loader that reads an origin.
     *
     * @param <K> the type of the keys
     * @param <V> the type of the values
     * @param origin what is counted, such as a method of a repository, or a lambda
     * @return the loader
     */
    public static <K, V> CountingLoader<K, V> of(Loader<? super K, ? extends V> origin) {
        return new CountingLoader<>(requireNonNull(origin, "origin"));
    }

    @Override
    public @Nullable V load(K key) throws Exception {
        return gate.<@Nullable V>pass(() -> {
            count(key);
            return origin.load(key);
        });
    }

    /**
     * Returns this loader as one for many keys, for {@code getAll}. Each key counts as a load of that key; the call counts as one
     * running load.
     *
     * @param bulkOrigin what is counted
     * @return the bulk loader, which this loader counts, holds up, and makes fail
     */
    public BulkLoader<K, V> bulk(BulkLoader<K, V> bulkOrigin) {
        requireNonNull(bulkOrigin, "bulkOrigin");
        return keys -> gate.pass(() -> loadAll(bulkOrigin, keys));
    }

    private Map<? extends K, ? extends @Nullable V> loadAll(BulkLoader<K, V> bulkOrigin, Set<K> keys) throws Exception {
        keys.forEach(this::count);
        return bulkOrigin.loadAll(keys);
    }

    private void count(K key) {
        loads.merge(key, 1, Integer::sum);
    }

    /**
     * Holds up all loads that begin from now on.
     *
     * @return this
     */
    public CountingLoader<K, V> hold() {
        gate.close();
        return this;
    }

    /**
     * Releases all loads that are held up; later ones are not.
     *
     * @return this
     */
    public CountingLoader<K, V> release() {
        gate.open();
        return this;
    }

    /**
     * Makes all loads that begin from now on fail.
     *
     * @param failure what they throw
     * @return this
     */
    public CountingLoader<K, V> failWith(Exception failure) {
        gate.fail(requireNonNull(failure, "failure"));
        return this;
    }

    /**
     * Makes loads that begin from now on succeed again.
     *
     * @return this
     */
    public CountingLoader<K, V> succeed() {
        gate.fail(null);
        return this;
    }

    /** {@return the number of loads of all keys so far, running and failed ones included} */
    public int loads() {
        return loads.values().stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * {@return the number of loads of a key so far, running and failed ones included}
     *
     * @param key the key
     */
    public int loads(K key) {
        return loads.getOrDefault(key, 0);
    }

    /** {@return the number of loads that are running now, whether or not they are held up} */
    public int running() {
        return gate.running();
    }

    /** {@return the maximum number of loads that ran at the same time so far} */
    public int mostAtOnce() {
        return gate.mostAtOnce();
    }

    /**
     * Waits, in real time, until a number of loads are running.
     *
     * @param number the number, exactly
     * @throws InterruptedException if the thread is interrupted
     * @throws AssertionError if this takes longer than a minute: then the threads that should load hang
     */
    public void awaitRunning(int number) throws InterruptedException {
        RealTime.await(() -> running() == number, () -> running() + " loads are running, not " + number);
    }

    @Override
    public String toString() {
        return "CountingLoader[loads=" + loads() + ", running=" + running() + ", mostAtOnce=" + mostAtOnce() + ']';
    }
}
