package io.stampedeguard.event;

/** Whose exception was caught. */
public enum FaultSource {
    /** The shared store's. */
    STORE,
    /** The value codec's. */
    CODEC,
    /** The loader's, in the background or in a prefetch, where no caller hears of it. */
    LOADER,
    /** The key filter's, or that of the check which keys are valid. */
    FILTER,
    /** The listener's. */
    LISTENER
}
