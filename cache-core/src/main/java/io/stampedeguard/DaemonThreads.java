package io.stampedeguard;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes daemon threads with numbered names. Nothing of the caller that happens to need one sticks to it. */
final class DaemonThreads implements ThreadFactory {
    private final AtomicInteger count = new AtomicInteger();
    private final @Nullable ClassLoader classes = Thread.currentThread().getContextClassLoader();
    private final String prefix;

    DaemonThreads(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(classes);
        return thread;
    }
}
