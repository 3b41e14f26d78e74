package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.product.ProductCache;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose near cache is switched on and off while it is in use. Switching opens another cache of the same name, with the same
 * entries in Redis, waits for the calls in progress, and closes the one before. <em>Thread-safe.</em>
 */
final class SwitchableCache implements ProductCache {
    private final Function<Boolean, ProductCache> open;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean near = true;
    private ProductCache cache;

    /** {@code open} opens a cache, with or without a near cache; the first one has one. */
    SwitchableCache(Function<Boolean, ProductCache> open) {
        this.open = open;
        this.cache = open.apply(near);
    }

    /** Not for several threads at once. */
    void near(boolean wanted) {
        if (wanted != near) {
            ProductCache before = replace(open.apply(wanted), wanted);
            before.close();
        }
    }

    private ProductCache replace(ProductCache next, boolean nearFromNowOn) {
        lock.writeLock().lock();
        try {
            ProductCache before = cache;
            cache = next;
            near = nearFromNowOn;
            return before;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private @Nullable String answer(Function<ProductCache, @Nullable String> call) {
        lock.readLock().lock();
        try {
            return call.apply(cache);
        } finally {
            lock.readLock().unlock();
        }
    }

    private void use(Consumer<ProductCache> call) {
        answer(current -> {
            call.accept(current);
            return null;
        });
    }

    @Override
    public @Nullable String get(long key) {
        return answer(current -> current.get(key));
    }

    @Override
    public void put(long key, String product) {
        use(current -> current.put(key, product));
    }

    @Override
    public void expire(long key) {
        use(current -> current.expire(key));
    }

    @Override
    public void buildFilter(Supplier<Stream<Long>> keys) {
        use(current -> current.buildFilter(keys));
    }

    @Override
    public void close() {
        use(ProductCache::close);
    }
}
