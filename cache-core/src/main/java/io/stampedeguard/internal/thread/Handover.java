package io.stampedeguard.internal.thread;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A chain of tasks that is handed over at once, the last one first. The caller pays for one task, however many there are. They
 * run in the order in which they were added, several on a thread, few enough that a blocking task delays only a few others.
 * <em>Immutable.</em> Not a record: compared by identity.
 */
public final class Handover {
    private static final int ON_A_THREAD = 64;

    private final Runnable last;
    private final @Nullable Handover before;

    public Handover(Runnable last, @Nullable Handover before) {
        this.last = last;
        this.before = before;
    }

    /** Runs the tasks on an executor that must not reject them. */
    public void runOn(Executor executor) {
        executor.execute(() -> {
            Deque<Runnable> waiting = inOrder();
            while (waiting.size() > ON_A_THREAD) {
                List<Runnable> some = first(waiting);
                executor.execute(() -> runAll(some.iterator()));
            }
            runAll(waiting.iterator());
        });
    }

    /** A task that throws an error takes none of the others with it. */
    private static void runAll(Iterator<Runnable> tasks) {
        try {
            while (tasks.hasNext()) {
                tasks.next().run();
            }
        } finally {
            if (tasks.hasNext()) {
                runAll(tasks);
            }
        }
    }

    private Deque<Runnable> inOrder() {
        Deque<Runnable> tasks = new ArrayDeque<>();
        for (Handover some = this; some != null; some = some.before) {
            tasks.addFirst(some.last);
        }
        return tasks;
    }

    private static List<Runnable> first(Deque<Runnable> waiting) {
        List<Runnable> some = new ArrayList<>(ON_A_THREAD);
        while (some.size() < ON_A_THREAD) {
            some.add(waiting.removeFirst());
        }
        return some;
    }
}
