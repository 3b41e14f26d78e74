package io.stampedeguard.internal.load;

import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.loader.CacheException;

/** Receives the results of the keys of one call: for each key one result, or one failure. <em>Not thread-safe.</em> */
public interface Answers<K, V> {
    /** Takes the result of a key's flight. */
    void outcome(Look<K, V> look, LoadResult<V> outcome);

    /** Takes the reason why a key has no answer. */
    void failure(Look<K, V> look, CacheException failure);
}
