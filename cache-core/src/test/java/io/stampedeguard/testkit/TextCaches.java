package io.stampedeguard.testkit;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.store.CacheStore;

/** Caches of texts under textual keys, which most tests use. */
public final class TextCaches {
    private TextCaches() {}

    /** Returns a builder of a cache of texts over a store. */
    public static StampedeGuardedCacheBuilder<String, String> textCache(String name, CacheStore store) {
        return StampedeGuardedCache.<String, String>builder(name).store(store).codec(StringCodec.of());
    }
}
