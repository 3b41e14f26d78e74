package io.stampedeguard.internal.call;

import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.lease.Target;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.LoadedValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls a bulk loader once for many keys, and settles what it brings. <em>Thread-safe.</em> */
public final class BulkCalls<K, V> {
    private final LoaderCalls<K, V> calls;
    private final Publisher<K, V> publisher;

    public BulkCalls(LoaderCalls<K, V> calls, Publisher<K, V> publisher) {
        this.calls = calls;
        this.publisher = publisher;
    }

    /**
     * Loads.
     *
     * @param targets what is loaded, at least one
     * @return what each brought, in their order; the flights have landed, but for an interrupt of the loader
     */
    public List<LoadResult<V>> load(List<Target<K, V>> targets, BulkLoader<K, V> loader, Permit permit)
            throws InterruptedException {
        return calls.call(
                targets,
                () -> loaded(targets, loader),
                permit,
                run -> publisher.settle(targets, run),
                Collections.nCopies(targets.size(), calls.timedOut()));
    }

    /** All that is foreign is done here, the look into the loader's map as well. */
    private List<LoadedValue<V>> loaded(List<Target<K, V>> targets, BulkLoader<K, V> loader) throws Exception {
        Set<K> keys = new LinkedHashSet<>(targets.size() * 2);
        targets.forEach(target -> keys.add(target.look().key()));
        Map<? extends K, ? extends @Nullable V> values = loader.loadAll(Collections.unmodifiableSet(keys));
        if (values == null) {
            throw new IllegalStateException("the bulk loader has answered null");
        }
        List<LoadedValue<V>> loaded = new ArrayList<>(targets.size());
        for (Target<K, V> target : targets) {
            loaded.add(LoadedValue.of(values.get(target.look().key())));
        }
        return loaded;
    }
}
