package io.stampedeguard.event;

/** The source of an exception that was caught. */
public enum FaultSource {
    /** The shared store. */
    STORE,
    /** The value codec. */
    CODEC,
    /** The size of an encoded value, which is not stored: it has more bytes than the policy's {@code maxPayloadBytes}. */
    SIZE,
    /**
     * The loader, in the background or in a prefetch, where its exception reaches no caller; or what belongs to it: the time source
     * that was to run it, the policy's {@code coolDownOn}, or the context carrier.
     */
    LOADER,
    /** The key filter or the key validator. */
    FILTER,
    /** The listener. */
    LISTENER
}
