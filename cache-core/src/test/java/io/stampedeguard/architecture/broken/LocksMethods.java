package io.stampedeguard.architecture.broken;

/** Holds its monitor while it is called. */
public final class LocksMethods {
    synchronized void locked() {}

    static synchronized void lockedForAll() {}
}
