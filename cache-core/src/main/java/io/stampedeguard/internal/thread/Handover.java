package io.stampedeguard.internal.thread;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that are handed over in one go, the last to come on top. Whoever hands them over pays for one task, however many
 * there are; they run in the order in which they came, so many on a thread that one which blocks holds up few others.
 * <em>Immutable.</em> Not a record: each is itself only.
 */
public final class Handover {
    private static final int ON_A_THREAD = 64;

    private final Runnable last;
    private final @Nullable Handover before;

    /**
     * Puts a task on top of others.
     *
     * @param last the task that came last
     * @param before those that came before it, if any
     */
    public Handover(Runnable last, @Nullable Handover before) {
        this.last = last;
        this.before = before;
    }

    /**
     * Runs the tasks.
     *
     * @param executor where; must take whatever it is given
     */
    public void runOn(Executor executor) {
        executor.execute(() -> {
            Deque<Runnable> waiting = inOrder();
            while (waiting.size() > ON_A_THREAD) {
                List<Runnable> some = first(waiting);
                executor.execute(() -> some.forEach(Runnable::run));
            }
            waiting.forEach(Runnable::run);
        });
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
