package io.stampedeguard.testbed;

/** Removes shutdown hooks of what was closed earlier. */
public final class ShutdownHooks {
    private ShutdownHooks() {}

    /** Removes a hook, unless the JVM is shutting down. */
    public static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException jvmIsEnding) {
            // The JVM is shutting down: the hook runs or has run, and has nothing left to do.
        }
    }
}
