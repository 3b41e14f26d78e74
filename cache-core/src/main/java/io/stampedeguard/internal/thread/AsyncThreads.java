package io.stampedeguard.internal.thread;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of asynchronous callers. Nobody waits on them for a flight of somebody else. On the executor of the builder, or
 * on virtual threads, a task does all there is to do; virtual ones begin when it is their turn ({@link StartLimiter}). On platform
 * threads there are two pools:
 *
 * <ol>
 *   <li>one for what is short: reads of the store, and telling those who wait; so that hits never wait behind loads;
 *   <li>one for those who lead a flight: as many threads as may load at once, and as many again for those who wait for
 *       another process. A load therefore never waits for a thread while there is a permit for it and only loads are about.
 * </ol>
 *
 * <p>What comes too late for an executor, or finds no room in it, goes to a thread of its own. <em>Thread-safe.</em>
 */
public final class AsyncThreads implements AutoCloseable {
    /** Twice as many as there are connections by default, so that none has to wait for work. */
    public static final int READS_AT_ONCE = 32;

    private static final int LONGEST_QUEUE = 1 << 16;

    private final ThreadFactory factory;
    private final Executor work;
    private final Executor leads;
    private final List<ExecutorService> own;
    private final @Nullable StartLimiter turns;
    private final AtomicReference<@Nullable Handover> late = new AtomicReference<>();

    /** Nobody waits for a turn ({@code turns} is {@code null}) where the number of threads is the bound. */
    private AsyncThreads(
            ThreadFactory factory,
            Executor work,
            Executor leads,
            List<ExecutorService> own,
            @Nullable StartLimiter turns) {
        this.factory = factory;
        this.work = work;
        this.leads = leads;
        this.own = own;
        this.turns = turns;
    }

    /** Chooses virtual threads where the JVM has them. */
    public static AsyncThreads ownOf(String cache, int maxConcurrentLoads) {
        ThreadFactory virtual = VirtualThreads.factory(prefix(cache));
        if (virtual == null) {
            return onPlatformThreads(cache, maxConcurrentLoads);
        }
        ExecutorService perTask = VirtualThreads.executor(virtual);
        StartLimiter turns = new StartLimiter(READS_AT_ONCE, LONGEST_QUEUE, perTask);
        return new AsyncThreads(virtual, perTask, Runnable::run, List.of(perTask), turns);
    }

    public static AsyncThreads onPlatformThreads(String cache, int maxConcurrentLoads) {
        ThreadFactory threads = new DaemonThreads(prefix(cache));
        ExecutorService readers = pool(READS_AT_ONCE, threads);
        ExecutorService leaders = pool((int) Math.min(Integer.MAX_VALUE, 2L * maxConcurrentLoads), threads);
        return new AsyncThreads(threads, readers, leaders, List.of(readers, leaders), null);
    }

    /** Lets a given executor do the work, which is not closed with the cache. */
    public static AsyncThreads on(Executor given, String cache) {
        ThreadFactory virtual = VirtualThreads.factory(prefix(cache));
        ThreadFactory threads = virtual == null ? new DaemonThreads(prefix(cache)) : virtual;
        return new AsyncThreads(threads, given, Runnable::run, List.of(), null);
    }

    private static String prefix(String cache) {
        return "stampede-" + cache + "-async-";
    }

    private static ExecutorService pool(int number, ThreadFactory threads) {
        return DaemonThreads.pool(number, new LinkedBlockingQueue<>(LONGEST_QUEUE), threads);
    }

    /**
     * Reads the store, and goes on with what was read.
     *
     * @throws RejectedExecutionException or whatever a foreign executor throws, if it does not take the work
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

    /** Runs what may lead a flight, on this thread if it is good for that. As {@link #read} else. */
    public void lead(Runnable task) {
        leads.execute(task);
    }

    /** Runs what must run. Does not block. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public void tell(Runnable task) {
        try {
            work.execute(task);
        } catch (Exception | Error e) {
            onItsOwnThread(task);
        }
    }

    /** Runs what must run and cannot wait for a thread to become free. Does not block. */
    public void tellLate(Runnable task) {
        Handover before = late.getAndUpdate(waiting -> new Handover(task, waiting));
        if (before == null) {
            onItsOwnThread(() -> {
                Handover all = late.getAndSet(null);
                if (all != null) {
                    all.runOn(new FirstHere());
                }
            });
        }
    }

    /** Runs its first task on the thread that brings it, and the others on threads of their own. */
    private final class FirstHere implements Executor {
        private boolean begun;

        @Override
        public void execute(Runnable task) {
            if (begun) {
                onItsOwnThread(task);
            } else {
                begun = true;
                task.run();
            }
        }
    }

    private void onItsOwnThread(Runnable task) {
        try {
            factory.newThread(task).start();
        } catch (OutOfMemoryError e) { // no more threads: then who comes here does it
            task.run();
        }
    }

    /** Interrupts and ends the threads, but for those of a given executor. Does not wait for them. */
    @Override
    public void close() {
        own.forEach(ExecutorService::shutdownNow);
    }
}
