package io.stampedeguard.architecture.broken;

/** Holds its monitor during a call. */
public final class LocksMethods {
    synchronized void locked() {}

    static synchronized void lockedForAll() {}
}
