package io.stampedeguard.internal.thread;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of asynchronous callers. None of them blocks to wait for another caller's flight. On virtual threads (limited by
 * {@link StartLimiter}), one task does everything. On platform threads there are two pools:
 * <ol>
 *   <li>one for short tasks: reads and changes of the store, and notifications; so that hits never wait behind loads. The executor of the
 *       builder, if there is one, takes its place;
 *   <li>one for leading flights: as many threads as loads may run concurrently, and as many again for waits for another process.
 *       A load with a permit therefore never waits for a thread while only loads are running. These threads belong to the cache
 *       (and are virtual if possible) also beside a given executor, because what they wait for may need a thread of that one.
 * </ol>
 *
 * <p>A task that an executor rejects, or that it receives too late, runs on its own thread. <em>Thread-safe.</em>
 */
public final class AsyncThreads implements AutoCloseable {
    /** Half the default number of connections to Redis, so that renewals and publications find a free one. */
    public static final int READS_AT_ONCE = 32;

    private static final int LONGEST_QUEUE = 1 << 16;

    private final ThreadFactory factory;
    private final Executor work;
    private final Executor leads;
    private final List<ExecutorService> own;
    private final @Nullable StartLimiter turns;
    private final boolean isWorkGiven;
    private final AtomicReference<@Nullable Handover> late = new AtomicReference<>();

    /** Creates an instance; {@code turns} is {@code null} if the number of threads is the bound. */
    private AsyncThreads(
            ThreadFactory factory,
            Executor work,
            Executor leads,
            List<ExecutorService> own,
            @Nullable StartLimiter turns,
            boolean isWorkGiven) {
        this.factory = factory;
        this.work = work;
        this.leads = leads;
        this.own = own;
        this.turns = turns;
        this.isWorkGiven = isWorkGiven;
    }

    /** Creates an instance with its own threads: virtual ones if the JVM has them. */
    public static AsyncThreads ownOf(String cache, int maxConcurrentLoads) {
        ThreadFactory virtual = VirtualThreads.factory(prefix(cache));
        if (virtual == null) {
            return onPlatformThreads(cache, maxConcurrentLoads);
        }
        ExecutorService perTask = VirtualThreads.executor(virtual);
        StartLimiter turns = new StartLimiter(READS_AT_ONCE, LONGEST_QUEUE, perTask);
        return new AsyncThreads(virtual, perTask, Runnable::run, List.of(perTask), turns, false);
    }

    public static AsyncThreads onPlatformThreads(String cache, int maxConcurrentLoads) {
        ThreadFactory threads = new DaemonThreads(prefix(cache));
        ExecutorService readers = pool(READS_AT_ONCE, threads);
        ExecutorService leaders = leaders(maxConcurrentLoads, threads);
        return new AsyncThreads(threads, readers, leaders, List.of(readers, leaders), null, false);
    }

    /** Creates an instance on a given executor, which is not closed with the cache, with its own threads for leading. */
    public static AsyncThreads on(Executor given, String cache, int maxConcurrentLoads) {
        ThreadFactory virtual = VirtualThreads.factory(prefix(cache));
        ThreadFactory threads = virtual == null ? new DaemonThreads(prefix(cache)) : virtual;
        ExecutorService leaders =
                virtual == null ? leaders(maxConcurrentLoads, threads) : VirtualThreads.executor(virtual);
        return new AsyncThreads(threads, given, leaders, List.of(leaders), null, true);
    }

    private static ExecutorService leaders(int maxConcurrentLoads, ThreadFactory threads) {
        return pool((int) Math.min(Integer.MAX_VALUE, 2L * maxConcurrentLoads), threads);
    }

    private static String prefix(String cache) {
        return "stampede-" + cache + "-async-";
    }

    private static ExecutorService pool(int number, ThreadFactory threads) {
        return DaemonThreads.pool(number, new LinkedBlockingQueue<>(LONGEST_QUEUE), threads);
    }

    /**
     * Reads or changes the store, and passes on the result. Throws a {@link RejectedExecutionException}, or any exception of a given
     * executor, if that does not accept the task.
     */
    public <T> void read(Supplier<T> reading, Consumer<T> then) {
        if (turns == null) {
            work.execute(() -> then.accept(reading.get()));
        } else {
            turns.start(() -> then.accept(inTurn(reading, turns)));
        }
    }

    private static <T> T inTurn(Supplier<T> reading, StartLimiter turns) {
        try {
            return reading.get();
        } finally {
            turns.over();
        }
    }

    /** Runs a task that may lead a flight, on a thread of the cache that may block. Otherwise identical to {@link #read}. */
    public void lead(Runnable task) {
        leads.execute(task);
    }

    /** Runs a task that must not be lost. Does not block. */
    public void complete(Runnable task) {
        if (!isAccepted(task)) {
            onItsOwnThread(task);
        }
    }

    /** Runs a task on the given executor; returns false, and never runs it then, if there is none or it rejects the task. */
    public boolean offer(Runnable task) {
        return isWorkGiven && isAccepted(task);
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private boolean isAccepted(Runnable task) {
        try {
            work.execute(task);
            return true;
        } catch (Exception | Error e) {
            return false;
        }
    }

    /** Runs a task that completes a future: on the given executor, otherwise on this thread. */
    public void completeLed(Runnable task) {
        if (isWorkGiven) {
            complete(task);
        } else {
            task.run();
        }
    }

    /** Runs a task that must not be lost and cannot wait for a free thread. Does not block. */
    public void completeLate(Runnable task) {
        Handover before = late.getAndUpdate(waiting -> new Handover(task, waiting));
        if (before == null) {
            onItsOwnThread(() -> {
                Handover all = late.getAndSet(null);
                if (all != null) {
                    all.runOn(this::onItsOwnThread);
                }
            });
        }
    }

    private void onItsOwnThread(Runnable task) {
        try {
            factory.newThread(task).start();
        } catch (OutOfMemoryError e) { // no more threads: run it on this one
            task.run();
        }
    }

    /** Interrupts and stops the threads, except those of a given executor. Does not wait for them. */
    @Override
    public void close() {
        own.forEach(ExecutorService::shutdownNow);
    }

    /**
     * Virtual threads, if the JVM has them (JDK 21 and later; the library is compiled for 17). The threads inherit nothing from
     * the caller that happens to need one. <em>Thread-safe.</em>
     */
    private static final class VirtualThreads {
        private VirtualThreads() {}

        /** Returns a factory of threads with numbered names; {@code null} if the JVM has no virtual threads. */
        static @Nullable ThreadFactory factory(String prefix) {
            try {
                Class<?> type = Class.forName("java.lang.Thread$Builder");
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
}
