package io.stampedeguard.internal.thread;

import java.util.ArrayList;
import java.util.Collections;
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
            List<Runnable> all = inOrder();
            int from = 0;
            for (; all.size() - from > ON_A_THREAD; from += ON_A_THREAD) {
                Iterator<Runnable> some = all.subList(from, from + ON_A_THREAD).iterator();
                executor.execute(() -> runAll(some));
            }
            runAll(all.listIterator(from));
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

    private List<Runnable> inOrder() {
        List<Runnable> tasks = new ArrayList<>();
        for (Handover some = this; some != null; some = some.before) {
            tasks.add(some.last);
        }
        Collections.reverse(tasks);
        return tasks;
    }
}
