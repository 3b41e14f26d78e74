package io.stampedeguard.internal.call;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The publications of single keys by the callers of a cache. While nothing else is published, a caller publishes by itself. What
 * comes meanwhile is left to a background task, which publishes together all that has come: its caller has its value, and need not
 * wait. If much waits already, as the store is slow, or there is no thread for the task, callers wait again; so do those whose key is
 * in another part of the store, which may answer while the first does not. <em>Thread-safe.</em>
 *
 * @param <T> a publication
 */
final class PublicationQueue<T> {
    private static final int MOST_WAITING = 64;
    private static final int MOST_BYTES = 64 * 1024;

    private final Consumer<List<T>> publisher;
    private final Predicate<Runnable> tasks;
    private final BiPredicate<String, String> areTogether;
    private final ReentrantLock lock = new ReentrantLock();
    private List<Left<T>> waiting = new ArrayList<>();
    private int waitingBytes;
    private volatile int ownUnderWay;
    private volatile boolean hasTask;

    /** The key of which something was published when nothing else was: it names the part of the store. */
    private volatile String first = "";

    /** A publication that its caller does not wait for, and what runs when it was published, or was not. */
    private record Left<T>(T publication, Runnable end) {}

    /**
     * Creates a queue; {@code publisher} may block; {@code tasks} runs a task on another thread, or returns false; {@code
     * areTogether} tells whether two keys are in one part of the store.
     */
    PublicationQueue(Consumer<List<T>> publisher, Predicate<Runnable> tasks, BiPredicate<String, String> areTogether) {
        this.publisher = publisher;
        this.tasks = tasks;
        this.areTogether = areTogether;
    }

    /**
     * Leaves the publication of a key to the task; returns false if its caller is to publish it, and to call {@link #over} then.
     * {@code end} runs after what was left is published, also if the publisher throws.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    boolean leave(String key, T publication, int bytes, Runnable end) {
        boolean isTogether = (!hasTask && ownUnderWay == 0) || areTogether.test(first, key);
        boolean isLeft;
        boolean needsTask;
        lock.lock();
        try {
            boolean isAlone = !hasTask && ownUnderWay == 0 && waiting.isEmpty();
            boolean isFull = waiting.size() == MOST_WAITING || waitingBytes + bytes > MOST_BYTES;
            isLeft = isTogether && !isAlone && !isFull;
            if (isAlone) {
                first = key;
            }
            if (isLeft) {
                waiting.add(new Left<>(publication, end));
                waitingBytes += bytes;
            } else {
                ownUnderWay++;
            }
            needsTask = !hasTask && !waiting.isEmpty();
            hasTask |= needsTask;
        } finally {
            lock.unlock();
        }
        boolean isDone = false;
        try {
            if (needsTask && !startTask()) {
                publish(takeWaiting()); // once: others may go on leaving more
            }
            isDone = true;
        } finally {
            if (!isDone && !isLeft) {
                over();
            }
        }
        return isLeft;
    }

    private boolean startTask() {
        boolean isStarted = false;
        try {
            isStarted = tasks.test(this::publishWaiting);
        } finally {
            if (!isStarted) {
                hasTask = false; // without a call: it needs no room on the stack; the next caller starts another
            }
        }
        return isStarted;
    }

    /** Notes that a caller has published. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    void over() {
        lock.lock();
        try {
            ownUnderWay--;
        } finally {
            lock.unlock();
        }
    }

    /** Publishes what waits, until nothing does; if that fails, as for lack of memory, what comes next is published nevertheless. */
    private void publishWaiting() {
        boolean isOver = false;
        try {
            for (List<Left<T>> next = takeWaiting(); !next.isEmpty(); next = takeWaiting()) {
                publish(next);
            }
            isOver = true;
        } finally {
            if (!isOver) {
                hasTask = false; // if this fails as well, the next caller starts another
                publishWaiting();
            }
        }
    }

    private void publish(List<Left<T>> all) {
        try {
            if (!all.isEmpty()) {
                publisher.accept(all.stream().map(Left::publication).toList());
            }
        } finally {
            end(all.iterator());
        }
    }

    /** If the end of one fails, such as for lack of memory for its notifications, the others happen nevertheless. */
    private static <T> void end(Iterator<Left<T>> left) {
        try {
            while (left.hasNext()) {
                left.next().end.run();
            }
        } finally {
            if (left.hasNext()) {
                end(left);
            }
        }
    }

    /** Takes what waits; if nothing does, the task is over. */
    private List<Left<T>> takeWaiting() {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                hasTask = false;
                return List.of();
            }
            List<Left<T>> taken = waiting;
            waiting = new ArrayList<>();
            waitingBytes = 0;
            return taken;
        } finally {
            lock.unlock();
        }
    }
}
