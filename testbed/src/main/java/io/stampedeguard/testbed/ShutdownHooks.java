package io.stampedeguard.testbed;

/** Takes back what a server left to be done at the end of the JVM. */
final class ShutdownHooks {
    private ShutdownHooks() {}

    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException jvmIsEnding) {
            // Then the hook runs or has run, and finds nothing to do.
        }
    }
}
