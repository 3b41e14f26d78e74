package io.stampedeguard.redis.internal.cluster;

import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The masters of a cluster that do not answer, so that each of them costs a time-out once, and not once each call:
 *
 * <ol>
 *   <li>a master that owes an answer for more than a moment is <em>late</em>, and one that has let a question time out, or could not
 *       be connected to, has <em>failed</em>. Those that answer come before both;
 *   <li>nothing is sent to a master that has failed but one question in the background, whether it or its successor is there,
 *       and when that has failed, too, another one as soon as somebody needs it;
 *   <li>who needs it waits for that answer for a tenth of a second, and goes without;
 *   <li>an answer ends both.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class SilentMasters {
    private static final long BRIEFLY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Set<String> late = ConcurrentHashMap.newKeySet();
    private final Map<String, Failed> failed = new ConcurrentHashMap<>();
    private final Predicate<byte[]> search;
    private final BackgroundThreads threads;
    private final TimeSource time;

    /**
     * Creates an empty set.
     *
     * @param search looks for the master of a key, and tells whether it answers; blocks
     */
    SilentMasters(Predicate<byte[]> search, BackgroundThreads threads, TimeSource time) {
        this.search = search;
        this.threads = threads;
        this.time = time;
    }

    /** Notes an answer. */
    public void answered(String master) {
        if (!late.isEmpty()) {
            late.remove(master);
        }
        if (!failed.isEmpty()) {
            failed.remove(master);
        }
    }

    /** Notes that a master has owed an answer for more than a moment. */
    public void isLate(String master) {
        late.add(master);
    }

    /** Notes that a master did not answer, unless that was for another reason, and looks for it in the background. */
    public void failed(String master, byte[] key, RuntimeException failure) {
        if (!master.isEmpty() && RedisFailure.isOfServer(failure)) {
            failed.computeIfAbsent(master, each -> new Failed(each, key)).search();
        }
    }

    public boolean isSilent(String master) {
        return late.contains(master) || failed.containsKey(master);
    }

    /** Sorts what belongs to masters: that of silent ones comes last, and otherwise the order stays. */
    public <T> List<T> last(Collection<T> all, Function<T, String> master) {
        List<T> sorted = new ArrayList<>(all.size());
        List<T> ofSilent = new ArrayList<>();
        for (T each : all) {
            (isSilent(master.apply(each)) ? ofSilent : sorted).add(each);
        }
        sorted.addAll(ofSilent);
        return sorted;
    }

    /** Returns whether a master may be asked something. Waits briefly for one that has failed. */
    public boolean mayBeAsked(String master) {
        return mayBeAsked(master, BRIEFLY_NANOS);
    }

    /** Returns whether a master may be asked something. Waits for so long for one that has failed. */
    boolean mayBeAsked(String master, long nanos) {
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

        /** Asks whether it is there, unless somebody does; returns what is opened when there is an answer, or none. */
        private CountDownLatch search() {
            CountDownLatch last = underWay.get();
            CountDownLatch next = new CountDownLatch(1);
            if (last.getCount() > 0 || !underWay.compareAndSet(last, next)) {
                return underWay.get();
            }
            if (!threads.tryToExecute(() -> search(next))) {
                failed.remove(master, this); // the next to need it finds out by itself
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
