package io.stampedeguard.loader;

/**
 * A loader has asked the cache for the very key that it is loading, itself or through other loaders on its thread: waiting for
 * it would have no end. A mistake in the loader; the call that the loader made throws this, and those who wait for the loader
 * get it as the cause of their {@link LoadException}, unless the loader catches it. Loaders may ask for other keys.
 */
public final class RecursiveLoadException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     */
    public RecursiveLoadException(String message) {
        super(message);
    }
}
