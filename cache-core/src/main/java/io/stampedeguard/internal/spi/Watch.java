package io.stampedeguard.internal.spi;

/** What a listener watches until this is closed. Closing does not block; a last call of the listener may still arrive. */
@FunctionalInterface
public interface Watch extends AutoCloseable {
    @Override
    void close();
}
