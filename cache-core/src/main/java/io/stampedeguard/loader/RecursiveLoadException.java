package io.stampedeguard.loader;

/**
 * Thrown if a loader requests the key that it is loading itself, directly or through other loaders on its thread: the wait
 * would never end. This is an error in the loader. The loader's own call throws this exception, and callers that wait for the
 * loader get it as the cause of their {@link LoadException}, unless the loader catches it. Loaders may request other keys.
 */
public final class RecursiveLoadException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     */
    public RecursiveLoadException(String message) {
        super(message);
    }
}
