package io.stampedeguard.testbed;

/** Removes shutdown hooks of servers that were closed earlier. */
final class ShutdownHooks {
    private ShutdownHooks() {}

    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException jvmIsEnding) {
            // The JVM is shutting down: the hook runs or has run, and has nothing left to do.
        }
    }
}
