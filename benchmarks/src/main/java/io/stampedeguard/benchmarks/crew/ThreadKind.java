package io.stampedeguard.benchmarks.crew;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;

/** Which threads there are to call with. */
public enum ThreadKind {
    /** A thread of the operating system each. */
    PLATFORM,
    /** Threads of the JVM, from 21 on. */
    VIRTUAL;

    /**
     * Returns whether this JVM has such threads.
     *
     * @return always for {@link #PLATFORM}
     */
    public boolean isAvailable() {
        return this == PLATFORM || Runtime.version().feature() >= 21;
    }

    /** Makes such threads; those of the operating system do not keep the JVM alive, and the others never do. */
    ThreadFactory factory() {
        return this == VIRTUAL
                ? virtual()
                : task -> {
                    Thread thread = new Thread(task, "reader");
                    thread.setDaemon(true);
                    return thread;
                };
    }

    /** {@code Thread.ofVirtual().factory()}, which Java 17 does not know. */
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
