package io.stampedeguard.redis.internal.cluster;

import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The masters of a cluster that do not answer, so that each of them costs a timeout once, and not once per call:
 *
 * <ol>
 *   <li>a master with a request that is under way for a tenth of a second is <em>late</em>. A master that caused a timeout, or
 *       refused a connection, has <em>failed</em>. Masters that answer are used before both;
 *   <li>a failed master receives only one check in the background, of whether it or its successor answers. If that fails as
 *       well, the next caller that needs the master starts another one;
 *   <li>a caller that needs it waits a tenth of a second for the check, and then continues without it;
 *   <li>an answer ends both states.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class SilentMasters {
    private static final long BRIEFLY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<Object, Request> requests = new ConcurrentHashMap<>();
    private final Map<String, Failed> failed = new ConcurrentHashMap<>();
    private final Predicate<byte[]> search;
    private final BackgroundThreads threads;
    private final TimeSource time;

    /** Creates an empty set; {@code search} looks for the master of a key, and returns whether it answers; it blocks. */
    SilentMasters(Predicate<byte[]> search, BackgroundThreads threads, TimeSource time) {
        this.search = search;
        this.threads = threads;
        this.time = time;
    }

    /** A request that is under way. */
    private record Request(String master, long beganNanos) {}

    /** Notes that a request to a master is under way until its {@link #end}. */
    public void begin(Object request, String master) {
        requests.put(request, new Request(master, time.monotonicNanos()));
    }

    public void end(Object request) {
        requests.remove(request);
    }

    /** Notes an answer. */
    public void answered(String master) {
        if (!failed.isEmpty()) {
            failed.remove(master);
        }
    }

    /** Notes that a master did not answer, unless the failure has another cause, and looks for it in the background. */
    public void failed(String master, byte[] key, RuntimeException failure) {
        if (!master.isEmpty() && RedisFailure.isOfServer(failure)) {
            failed.computeIfAbsent(master, each -> new Failed(each, key)).search();
        }
    }

    public boolean isSilent(String master) {
        return failed.containsKey(master) || isLate(master);
    }

    private boolean isLate(String master) {
        long now = time.monotonicNanos();
        return requests.values().stream()
                .anyMatch(each -> each.master.equals(master) && now - each.beganNanos >= BRIEFLY_NANOS);
    }

    /** Moves the items of silent masters to the end; the order is otherwise unchanged. */
    public <T> List<T> last(Collection<T> all, Function<T, String> master) {
        List<T> sorted = new ArrayList<>(all.size());
        List<T> ofSilent = new ArrayList<>();
        for (T each : all) {
            (isSilent(master.apply(each)) ? ofSilent : sorted).add(each);
        }
        sorted.addAll(ofSilent);
        return sorted;
    }

    /** Waits briefly for a failed master; returns whether a master may be asked. */
    public boolean awaitMaster(String master) {
        return awaitMaster(master, BRIEFLY_NANOS);
    }

    /** Waits up to a limit for a failed master; returns whether a master may be asked. */
    boolean awaitMaster(String master, long nanos) {
        Failed silence = failed.get(master);
        return silence == null || silence.isOver(nanos);
    }

    /** A master that has failed. */
    private final class Failed {
        private final AtomicReference<CountDownLatch> underWay = new AtomicReference<>(new CountDownLatch(0));
        private final String master;
        private final byte[] key;

        private Failed(String master, byte[] key) {
            this.master = master;
            this.key = key;
        }

        /** Starts a check unless one is running; returns a latch that opens when it ends. */
        private CountDownLatch search() {
            CountDownLatch last = underWay.get();
            CountDownLatch next = new CountDownLatch(1);
            if (last.getCount() > 0 || !underWay.compareAndSet(last, next)) {
                return underWay.get();
            }
            if (!threads.tryToExecute(() -> search(next))) {
                failed.remove(master, this); // the next caller that needs it finds out by itself
                next.countDown();
            }
            return next;
        }

        private void search(CountDownLatch over) {
            try {
                if (search.test(key)) {
                    answered(master);
                }
            } finally {
                over.countDown();
            }
        }

        private boolean isOver(long nanos) {
            try {
                time.await(search(), nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return failed.get(master) != this;
        }
    }
}
