package io.stampedeguard.event;

/** Whose exception was caught. */
public enum FaultSource {
    /** The shared store's. */
    STORE,
    /** The value codec's. */
    CODEC,
    /** The loader's, in the background or in a prefetch, where no caller hears of it. */
    LOADER,
    /** The listener's. */
    LISTENER
}
