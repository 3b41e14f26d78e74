package io.stampedeguard;

import io.stampedeguard.hot.HotKeys;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.Notices;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.Executor;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one cache share.
 *
 * @param store the shared store
 * @param silence whether the store is down
 * @param notices its ability to wake those who wait, if it has it and the policy wants it
 * @param draws numbers drawn evenly from 0 to 1
 * @param copies what callers are given
 * @param loaderExecutor where loaders run, {@code null} for the leader's own thread
 * @param asyncThreads where asynchronous callers are served
 * @param hotKeys which keys callers wait for
 */
record CacheParts<K, V>(
        KeyNames<K> keys,
        KeyAdmission<K> admission,
        SharedStore store,
        StoreSilence silence,
        @Nullable Notices notices,
        CachePolicy policy,
        TimeSource time,
        DoubleSupplier draws,
        CacheEvents events,
        EntryReader<V> reader,
        EntryWriter<V> writer,
        Copies<V> copies,
        NearSide<K, V> near,
        Nesting nesting,
        @Nullable Executor loaderExecutor,
        AsyncThreads asyncThreads,
        HotKeys hotKeys) {}
