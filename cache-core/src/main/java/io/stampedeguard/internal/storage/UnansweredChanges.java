package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The parts of the store that answer reads and leave changes unanswered: a Redis whose writes are paused for a failover, for
 * instance. A change of such a part is not sent, and counts as refused by the store, so that its caller does not wait for a timeout:
 * <ol>
 *   <li>A change without an answer proves nothing. The part is <em>probed</em> in the background: by a read, and if that is
 *       answered, by a change without an effect. If only the change has no answer, the part leaves changes unanswered.
 *   <li>Then it is probed once a second, by the change alone, until that is answered. A refusal is an answer.
 *   <li>Renewals are sent nevertheless: no caller waits for them, and its load need not be in vain.
 * </ol>
 *
 * <p>While all is well, a change costs a volatile read. <em>Thread-safe.</em>
 */
final class UnansweredChanges {
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /** A key of each such part. Read directly, since it is on the path of each change. */
    final List<String> parts = new CopyOnWriteArrayList<>();

    private final SharedStore store;
    private final ObservedStore observed;
    private final TimeSource time;
    private final CacheEvents events;
    private final BackgroundTasks tasks;
    private final AtomicBoolean probing = new AtomicBoolean();
    private final AtomicBoolean logged = new AtomicBoolean();
    private final OnceAMinute lines;

    /** Why changes are not sent: the failure of the last probe. */
    private volatile StoreException reason = StoreException.refused("a change had no answer", null);

    /** Creates an instance that knows of no such part; probes are sent to {@code store}, as tasks; of them only faults are reported. */
    UnansweredChanges(CacheContext context, SharedStore store, ObservedStore observed, BackgroundTasks tasks) {
        this.store = store;
        this.observed = observed;
        this.time = context.time();
        this.events = context.events();
        this.tasks = tasks;
        this.lines = new OnceAMinute(time);
    }

    /** What a probe has found out. */
    private enum Verdict {
        ANSWERED,
        UNANSWERED,
        UNKNOWN
    }

    /** Returns those of many changes that are to be sent; throws if there are none. */
    <Q> Collection<Q> toSend(Collection<Q> changes, Function<? super Q, String> keyOf) {
        List<Q> sent =
                changes.stream().filter(each -> !contains(keyOf.apply(each))).toList();
        if (sent.isEmpty() && !changes.isEmpty()) {
            String key = keyOf.apply(changes.iterator().next());
            StoreException why = reason;
            throw StoreException.unsent(
                    () -> "no change of " + KeyEncoder.shown(key) + " was sent: " + why.getMessage(), why);
        }
        return sent;
    }

    /** A closing cache sends its changes once more. */
    private boolean contains(String key) {
        return !observed.pending().isClosed()
                && parts.stream()
                        .anyMatch(other -> key.equals(other)
                                || observed.groups(List.of(key, other)).size() == 1);
    }

    /** Begins to probe the part of one of these keys, of which changes had no answer. Does not block. */
    void suspectOneOf(Stream<String> keys) {
        keys.filter(key -> !contains(key)).findFirst().ifPresent(key -> {
            if (probing.compareAndSet(false, true) && !tasks.run(() -> probeSuspect(key))) {
                probing.set(false);
            }
        });
    }

    private void probeSuspect(String key) {
        try {
            if (!observed.pending().isClosed()
                    && !contains(key)
                    && answersRead(key)
                    && probe(key) == Verdict.UNANSWERED) {
                begin(key);
            }
        } finally {
            probing.set(false);
        }
    }

    private void begin(String key) {
        parts.add(key);
        probeLater(key);
        if (!logged.get()) {
            lines.count(number -> logged.set(events.changesUnanswered(reason)));
        }
    }

    private void end(String key) {
        parts.remove(key);
        if (parts.isEmpty() && logged.getAndSet(false) && !observed.pending().isClosed()) {
            events.changesAnswered();
        }
    }

    /** If there is to be no probe, changes are sent again. */
    private void probeLater(String key) {
        long pause = (long) ((1 + time.random()) * (double) LONGEST_PAUSE_NANOS / 2);
        try {
            time.schedule(pause, () -> {
                if (!tasks.run(() -> probeAgain(key))) {
                    end(key);
                }
            });
        } catch (RuntimeException | Error e) { // no thread for the timer, for instance
            end(key);
            throw e;
        }
    }

    private void probeAgain(String key) {
        Verdict verdict = Verdict.ANSWERED;
        try {
            verdict = probe(key);
        } finally { // also after an Error
            if (verdict == Verdict.ANSWERED) {
                end(key);
            } else {
                probeLater(key);
            }
        }
        if (verdict == Verdict.ANSWERED) {
            observed.pending().replay();
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user code
    private boolean answersRead(String key) {
        try {
            store.read(key, store.patience());
            return true;
        } catch (Throwable thrown) {
            return ObservedStore.asStoreException(thrown).isRefusal();
        }
    }

    /** Gives back a lease that nobody holds. */
    @SuppressWarnings("CatchingUnchecked") // user code
    private Verdict probe(String key) {
        HeldLease none = new HeldLease(key, LeaseToken.next());
        try {
            return store.end(Map.of(none, new LeaseEnd.Abandon())).containsKey(none)
                    ? Verdict.ANSWERED
                    : Verdict.UNKNOWN;
        } catch (Throwable thrown) {
            StoreException failure = ObservedStore.asStoreException(thrown);
            if (failure.isRefusal()) {
                return Verdict.ANSWERED;
            }
            events.fault(FaultSource.STORE, failure);
            if (!ObservedStore.isUnanswered(failure)) {
                return Verdict.UNKNOWN;
            }
            reason = StoreException.refused(
                    "the store answers reads, and leaves changes unanswered: " + failure.getMessage(), failure);
            return Verdict.UNANSWERED;
        }
    }
}
