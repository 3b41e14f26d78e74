package io.stampedeguard.codec;

/**
 * Thrown by {@link ValueCodec#decode} for bytes that are intact, but of another version of the values: the value is loaded, and
 * no fault is reported. An entry of an older version, which has less than this one and nothing else, is replaced; another one is
 * left to the processes that can read it.
 */
public final class OtherVersionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean older;

    /**
     * Creates an exception without a stack trace.
     *
     * @param message what is different
     * @param older whether the entry may be replaced, because processes of its version can read what this one writes
     */
    public OtherVersionException(String message, boolean older) {
        super(message, null, false, false);
        this.older = older;
    }

    /** {@return whether the entry may be replaced} */
    public boolean isOlder() {
        return older;
    }
}
