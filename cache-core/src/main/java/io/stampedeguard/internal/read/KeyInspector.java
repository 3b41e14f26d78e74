package io.stampedeguard.internal.read;

import io.stampedeguard.internal.entry.StoredReports;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.report.KeyReport;
import io.stampedeguard.report.LeaseReport;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;

/** Collects everything that is known about one key, without changing anything. <em>Thread-safe.</em> */
public final class KeyInspector<K, V> {
    private final String cache;
    private final KeyAdmission<K> admission;
    private final NearCache<K, V> near;
    private final SharedStore store;
    private final Marks marks;
    private final Duration leaseTtl;
    private final SingleFlight<LoadResult<V>> flights;

    public KeyInspector(
            CacheContext context,
            KeyAdmission<K> admission,
            NearCache<K, V> near,
            SharedStore store,
            Marks marks,
            SingleFlight<LoadResult<V>> flights) {
        this.cache = context.name();
        this.admission = admission;
        this.near = near;
        this.store = store;
        this.marks = marks;
        this.leaseTtl = context.policy().leaseTtl();
        this.flights = flights;
    }

    public KeyReport inspect(K key) {
        String storeKey = admission.storeKey(key);
        EntryReport entry = null;
        LeaseReport lease = null;
        String trouble = null;
        try {
            StoredKey stored = store.inspect(storeKey);
            entry = StoredReports.entry(stored, store.currentTimeMillis(), marks);
            lease = StoredReports.lease(stored.lease(), leaseTtl);
        } catch (StoreException e) {
            trouble = String.valueOf(e.getMessage());
        }
        return new KeyReport(
                cache,
                storeKey.substring(cache.length() + 1),
                admission.validity(key),
                admission.filterAnswer(key),
                near.report(key),
                entry,
                lease,
                trouble,
                flights.followers(storeKey));
    }
}
