package io.stampedeguard.internal.thread;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Virtual threads, if the JVM has them (JDK 21 and later; the library is compiled for 17). The threads inherit nothing from the
 * caller that happens to need one. <em>Thread-safe.</em>
 */
final class VirtualThreads {
    private VirtualThreads() {}

    /** Returns a factory of threads with numbered names; {@code null} if the JVM has no virtual threads. */
    static @Nullable ThreadFactory factory(String prefix) {
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
            type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
            ThreadFactory threads =
                    (ThreadFactory) requireNonNull(type.getMethod("factory").invoke(builder));
            ClassLoader classes = Thread.currentThread().getContextClassLoader();
            return task -> {
                Thread thread = threads.newThread(task);
                thread.setContextClassLoader(classes);
                return thread;
            };
        } catch (ReflectiveOperationException e) { // before 19 there are none, before 21 only as a preview
            return null;
        }
    }

    /** Creates an executor with a thread for each task; requires such a factory. */
    static ExecutorService executor(ThreadFactory threads) {
        try {
            Method perTask = Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class);
            return (ExecutorService) requireNonNull(perTask.invoke(null, threads));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has virtual threads, but no executor for them", e);
        }
    }
}
