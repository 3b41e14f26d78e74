package io.stampedeguard.testbed.program;

import io.stampedeguard.testbed.Daemon;
import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;

/** The kinds of calling threads. */
public enum ThreadKind {
    /** Threads of the operating system. */
    PLATFORM,
    /** Virtual threads, from Java 21 on. */
    VIRTUAL;

    /** Returns whether this JVM supports this kind of thread. */
    public boolean isAvailable() {
        return this == PLATFORM || Runtime.version().feature() >= 21;
    }

    /**
     * Returns a factory of such threads; none of them keeps the JVM alive.
     *
     * @throws IllegalStateException if this JVM does not support them
     */
    public ThreadFactory factory() {
        return this == VIRTUAL ? virtual() : task -> Daemon.thread("reader", task);
    }

    /** {@code Thread.ofVirtual().factory()}, which Java 17 does not have. */
    private static ThreadFactory virtual() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Method factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
            return (ThreadFactory) factory.invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no virtual threads", e);
        }
    }
}
