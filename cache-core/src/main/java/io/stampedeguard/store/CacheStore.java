package io.stampedeguard.store;

/**
 * A store as its user sees it, which is passed to the builders of caches. What caches need of it is a {@link SharedStore}; a store
 * of your own may be one itself.
 */
public interface CacheStore {
    /** {@return what caches need of this store, always the same object} An application has no use for it. */
    SharedStore shared();
}
