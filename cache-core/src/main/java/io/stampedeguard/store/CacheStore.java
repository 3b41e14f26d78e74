package io.stampedeguard.store;

/**
 * A store as its user sees it, which is passed to the builders of caches. What caches need of it is a {@link SharedStore}. A store
 * of your own may be one itself, but compiles on the class path only: what its methods take and return is not exported, and may
 * change with each version. Implementations are <em>thread-safe</em>.
 */
public interface CacheStore {
    /** {@return what caches need of this store, always the same object} An application has no use for it. */
    SharedStore shared();
}
