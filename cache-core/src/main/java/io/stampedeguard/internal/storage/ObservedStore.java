package io.stampedeguard.internal.storage;

import static java.util.Collections.singletonMap;
import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The shared store; each call is reported to the listener, and counts for {@link #isDown}. Whatever the store throws, this one throws
 * {@link StoreException}s only, apart from errors that no program survives. No read, no request for a lease, no result of a load,
 * and no put with a fence is sent ahead of a queued change of its key ({@link PendingChanges}). <em>Thread-safe.</em>
 */
public final class ObservedStore implements SharedStore {
    private static final int UNANSWERED_IF_DOWN = 2;

    private final SharedStore store;
    private final @Nullable BreakerEvents breaker;
    private final CacheEvents events;
    private final TimeSource time;
    private final AtomicInteger unanswered = new AtomicInteger();

    /** The cause of the last failure that counts in {@code unanswered}. */
    private final AtomicReference<@Nullable Throwable> counted = new AtomicReference<>();

    private final PendingChanges pending;
    private final UnansweredChanges unansweredChanges;

    /** Creates the observed form of a store; retries of queued changes, and probes, run as tasks. */
    public ObservedStore(CacheContext context, SharedStore store, BackgroundTasks tasks) {
        this.store = store;
        this.breaker = store.ability(BreakerEvents.class);
        this.events = context.events();
        this.time = context.time();
        this.pending = new PendingChanges(context, this, tasks); // it sends through this store
        this.unansweredChanges = new UnansweredChanges(context, store, this, tasks);
    }

    /** Returns the changes that the store did not answer. */
    public PendingChanges pending() {
        return pending;
    }

    /**
     * Returns whether the store is down, for the whole process: the last requests in a row, at least two, had no answer, whichever
     * caller sent them. A single one proves nothing: the answer may have been lost, while another process holds the lease.
     */
    public boolean isDown() {
        return unanswered.get() >= UNANSWERED_IF_DOWN;
    }

    /**
     * Returns whether the store is down for certain: if it has a circuit breaker, that has the last word. Until it has judged, a
     * request waits for its verdict inside the store, and no longer.
     */
    public boolean isKnownDown() {
        return isDown() && (breaker == null || breaker.breaker() != BreakerState.CLOSED);
    }

    @Override
    public Duration patience() {
        return store.patience();
    }

    /** On the path of each hit, so it writes only if this changes something. */
    private void answered() {
        if (unanswered.get() != 0) {
            unanswered.set(0);
            counted.set(null);
        }
    }

    /** Without a call of another class: this is on the path of each hit. */
    private boolean isAnyQueued() {
        return pending.queued.size.get() != 0;
    }

    /** Like the other operations, but without a lambda that allocates: this is the path of a hit. */
    @Override
    @SuppressWarnings("CatchingUnchecked") // user code
    public byte @Nullable [] read(String key, Duration patience) {
        Duration left = isAnyQueued() ? pending.replayBefore(key, patience) : patience;
        OperationScope operation = events.begin(Operation.READ);
        byte[] entry;
        try {
            entry = store.read(key, left);
        } catch (Throwable thrown) {
            throw failed(operation, thrown);
        }
        answered();
        events.end(operation, null);
        return entry;
    }

    /** Returns what {@link BreakerEvents#refusal} returns, and reports it as the read that is not sent. */
    @Nullable
    StoreException refusal(String key) {
        return breaker != null && breaker.refusal(key) instanceof StoreException refusal
                ? failed(events.begin(Operation.READ), refusal)
                : null;
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        if (keys.size() == 1) {
            String key = keys.iterator().next();
            return singletonMap(key, read(key, patience));
        }
        Deadline deadline = Deadline.in(patience, time);
        return request(
                Operation.READ_ALL,
                keys,
                isAnyQueued() ? pending.replayBefore(keys, Function.identity(), deadline) : keys,
                Function.identity(),
                sent -> store.read(sent, deadline.remaining()));
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        Deadline deadline = Deadline.in(patience, time);
        return request(
                Operation.LEASE,
                requests,
                isAnyQueued() ? pending.replayBefore(requests, LeaseRequest::key, deadline) : requests,
                LeaseRequest::key,
                sent -> store.lease(sent, ttl, deadline.remaining()));
    }

    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        return request(Operation.RENEW, leases, leases, HeldLease::key, sent -> store.renew(sent, ttl));
    }

    /** Otherwise identical to the method of the store; without an entry among them, the ends are reported as releases. */
    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        Operation operation = Operation.RELEASE;
        for (LeaseEnd end : ends.values()) {
            if (end instanceof LeaseEnd.Publish || end instanceof LeaseEnd.Extend) {
                operation = Operation.PUBLISH;
            }
        }
        return request(
                operation,
                ends.keySet(),
                isAnyQueued() ? afterReplays(ends) : ends.keySet(),
                HeldLease::key,
                sent -> store.end(sent.size() == ends.size() ? ends : only(sent, ends)));
    }

    /** Returns the leases whose ends may be sent. Those without a result are not behind a change of their key. */
    private Collection<HeldLease> afterReplays(Map<HeldLease, ? extends LeaseEnd> ends) {
        List<HeldLease> due = new ArrayList<>(ends.size());
        List<HeldLease> withResult = new ArrayList<>(ends.size());
        ends.forEach((lease, end) ->
                (end instanceof LeaseEnd.Abandon || end instanceof LeaseEnd.Fail ? due : withResult).add(lease));
        due.addAll(pending.replayBefore(withResult, HeldLease::key, Deadline.in(patience(), time)));
        return due;
    }

    private static Map<HeldLease, ? extends LeaseEnd> only(
            Collection<HeldLease> leases, Map<HeldLease, ? extends LeaseEnd> ends) {
        Map<HeldLease, LeaseEnd> some = new LinkedHashMap<>();
        leases.forEach(lease -> some.put(lease, requireNonNull(ends.get(lease))));
        return some;
    }

    /** Nothing is sent. If the store fails to divide the keys, they are one group. */
    @Override
    @SuppressWarnings("CatchingUnchecked") // user code
    public List<List<String>> groups(Collection<String> keys) {
        if (keys.size() > 1) {
            try {
                return store.groups(keys);
            } catch (Throwable thrown) {
                events.fault(FaultSource.STORE, asStoreException(thrown));
            }
        }
        return List.of(List.copyOf(keys));
    }

    @Override
    public boolean change(String key, Change change, Duration patience) {
        Duration left = change instanceof Change.Put put && put.fence() != null
                ? pending.replayBefore(key, patience)
                : patience; // PendingChanges has sent what was queued before
        List<String> keys =
                List.of(change instanceof Change.OfAll ? key + ':' : key); // one that is where the generation is
        return request(operationOf(change), keys, keys, Function.identity(), sent -> store.change(key, change, left));
    }

    @Override
    public Map<String, Boolean> invalidate(Collection<String> keys, Duration patience) {
        return request(Operation.INVALIDATE, keys, keys, Function.identity(), sent -> store.invalidate(sent, patience));
    }

    /**
     * Sends what is due of a request; of changes, not those for the parts of the store that leave changes unanswered. If there is no
     * answer to one, its part may be such a part. If the store has answered for some of the keys only, the operation has failed: one of
     * several servers does not answer. Answers are by the requests, or by their keys.
     */
    @SuppressWarnings("CatchingUnchecked") // user code
    private <Q, A> A request(
            Operation operation,
            Collection<Q> asked,
            Collection<Q> due,
            Function<? super Q, String> keyOf,
            Function<Collection<Q>, A> send) {
        // A renewal is sent nevertheless: no caller waits for it, and its load need not be in vain.
        boolean isChange = operation != Operation.READ_ALL && operation != Operation.RENEW;
        boolean mayBeSuspect = isChange && !isKnownDown();
        OperationScope scope = events.begin(operation);
        A answer;
        try {
            Collection<Q> sent =
                    isChange && !unansweredChanges.parts.isEmpty() ? unansweredChanges.toSend(due, keyOf) : due;
            answer = requireNonNull(send.apply(sent), "the answer of the store");
        } catch (Throwable thrown) {
            StoreException failure = failed(scope, thrown);
            if (mayBeSuspect && isUnanswered(failure)) {
                unansweredChanges.suspectOneOf(due.stream().map(keyOf));
            }
            throw failure;
        }
        answered();
        Map<?, ?> answers = answer instanceof Map<?, ?> some && some.size() < asked.size() ? some : null;
        events.end(scope, answers == null ? null : missing(new HashSet<>(asked), answers));
        if (isChange && answers != null && answers.size() < due.size()) {
            unansweredChanges.suspectOneOf(due.stream()
                    .filter(each -> !answers.containsKey(each) && !answers.containsKey(keyOf.apply(each)))
                    .map(keyOf));
        }
        return answer;
    }

    /** Returns whether a request was sent, and had no answer. */
    static boolean isUnanswered(StoreException failure) {
        return !failure.isRefusal()
                && !failure.isShortage()
                && !failure.isUnsent()
                && !Thread.currentThread().isInterrupted();
    }

    private static Operation operationOf(Change change) {
        if (change instanceof Change.Put) {
            return Operation.PUT;
        }
        if (change instanceof Change.OfAll all) {
            return operationOf(all.each());
        }
        return change instanceof Change.Invalidate ? Operation.INVALIDATE : Operation.EXPIRE;
    }

    /** Not reported: diagnosis by a person, not an operation of the cache. */
    @Override
    @SuppressWarnings("CatchingUnchecked") // user code
    public StoredKey inspect(String key) {
        try {
            return store.inspect(key);
        } catch (Throwable thrown) {
            throw asStoreException(thrown);
        }
    }

    @Override
    public long currentTimeMillis() {
        return store.currentTimeMillis();
    }

    /** The calls of an ability are not reported. */
    @Override
    public <T> @Nullable T ability(Class<T> type) {
        return store.ability(type);
    }

    private static @Nullable StoreException missing(Set<?> asked, Map<?, ?> answers) {
        return answers.size() < asked.size()
                ? new StoreException("the store answered only for " + answers.size() + " of " + asked.size() + " keys")
                : null;
    }

    /**
     * Reports a failure, and returns it for the caller. One for want of a connection, or of a sender that was interrupted, proves
     * nothing about the store.
     */
    private StoreException failed(OperationScope scope, Throwable thrown) {
        if (Thrown.isFatal(thrown)) {
            events.end(scope, thrown);
        }
        StoreException noAnswer = asStoreException(thrown);
        if (!noAnswer.isShortage()
                && !(noAnswer.isUnsent() && noAnswer.isRefusal()) // not sent, because it answers reads only
                && !Thread.currentThread().isInterrupted()
                && !isDown() // during an outage on the path of each read: all of them would write the same number
                && isAnother(noAnswer)) {
            unanswered.updateAndGet(number -> Math.min(UNANSWERED_IF_DOWN, number + 1));
        }
        events.end(scope, noAnswer);
        return noAnswer;
    }

    /** Returns what a store may throw, in place of what it has thrown: callers are prepared for nothing else. */
    static StoreException asStoreException(Throwable thrown) {
        Thrown.rethrowFatal(thrown);
        return thrown instanceof StoreException expected
                ? expected
                : new StoreException("the store failed: " + Thrown.textOf(thrown), thrown);
    }

    /** Returns whether a failure is not that of an exchange that counts already: the callers of one batch share its cause. */
    @SuppressWarnings("ReferenceEquality") // the same exception, not an equal one
    private boolean isAnother(StoreException noAnswer) {
        Throwable cause = noAnswer.getCause();
        return cause == null || noAnswer.isUnsent() || counted.getAndSet(cause) != cause;
    }
}
