package io.stampedeguard;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.util.function.DoubleSupplier;

/**
 * What the parts of one cache share.
 *
 * @param draws numbers drawn evenly from 0 to 1
 */
record CacheParts<K, V>(
        KeyNames<K> keys,
        SharedStore store,
        CachePolicy policy,
        TimeSource time,
        DoubleSupplier draws,
        CacheEvents events,
        EntryReader<V> reader,
        EntryWriter<V> writer) {}
