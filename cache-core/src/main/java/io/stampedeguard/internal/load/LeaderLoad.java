package io.stampedeguard.internal.load;

import static io.stampedeguard.internal.lease.KeyRequest.in;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.call.LoaderInvoker;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.KeyRequest.Phase;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.PeerResults;
import io.stampedeguard.internal.peer.PeerWait;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Loads for a waiting caller: from the flights that it leads to the loader. A single key is a set of one. {@link Leader#lead} is
 * the list of these steps:
 * <ol>
 *   <li>take one permit, which bounds the loads of this process; if none is free, those of the flights with the most waiting
 *       callers come first, this caller and the followers of all its flights ({@link LoadPermits});
 *   <li>request the leases of all keys at once;
 *   <li>an entry that was <em>found</em> is used; a key that has <em>failed</em> cools down, and is not loaded;
 *   <li>if the store did not answer for a key, a copy in this process answers its caller;
 *   <li>load all keys for which the lease was <em>granted</em>, there was no answer, or results are not stored, by one call of the
 *       loader, and publish them. The flights of the other keys complete empty before the loader is invoked; this caller
 *       and their followers retry with a read: each may lead another flight by now;
 *   <li>if all other keys are <em>held</em>: release the permit, wait ({@link PeerWait}), and begin again.
 * </ol>
 *
 * <p>The first request for the lease of a key that was not read before is its read: an entry that is found is a hit, and needs no
 * load. So it waits for no permit: if none is free, or there is no answer, or the entry is of no use, the key retries with a read.
 *
 * <p>A caller that waits for a permit or for another process holds neither permit nor lease, so batches cannot deadlock however
 * they overlap; docs/concurrency.md ("Many keys at once") has the proof, and its limits for loaders that request other keys.
 * <em>Thread-safe.</em>
 */
public final class LeaderLoad<K, V> {
    /** Receives the results of the keys of one call: for each key one result, or one failure. <em>Not thread-safe.</em> */
    public interface Answers<K, V> {
        /** Takes the result of a key's flight. */
        void outcome(Lookup<K, V> lookup, LoadResult<V> outcome);

        /** Takes the hit of a key that was not read before. */
        void hit(Lookup<K, V> lookup);

        /** Takes the reason why a key has no answer although it was waited for until the deadline. */
        void late(Lookup<K, V> lookup, CacheException failure);

        /** Takes any other reason why a key has no answer. */
        void failure(Lookup<K, V> lookup, CacheException failure);

        /** Returns what comes before a load without a lease; {@code null} if there is nothing. */
        @Nullable
        LoadResult<V> insteadOfLoad(Lookup<K, V> lookup);
    }

    private final CacheContext context;
    private final SharedStore store;
    private final @Nullable LeaseNotifications notices;
    private final LoadPermits permits;
    private final LeaseClient<K, V> leaseClient;
    private final LoaderInvoker<K, V> calls;
    private final PeerResults<K, V> peers;
    private final CacheEvents events;

    /** Creates the leader's part of one cache. {@code notices}: the store's, if it has them and the policy uses them. */
    public LeaderLoad(
            CacheContext context,
            SharedStore store,
            @Nullable LeaseNotifications notices,
            LoadPermits permits,
            LeaseClient<K, V> leaseClient,
            LoaderInvoker<K, V> calls,
            PeerResults<K, V> peers) {
        this.context = context;
        this.store = store;
        this.notices = notices;
        this.permits = permits;
        this.leaseClient = leaseClient;
        this.calls = calls;
        this.peers = peers;
        this.events = context.events();
    }

    /** Returns the leader of some keys of a call; others of the call are left alone. */
    public Leader of(List<KeyRequest<K, V>> led, LoadFunction<K, V> loader, Deadline deadline, Answers<K, V> answers) {
        return new Leader(led, loader, deadline, answers);
    }

    /** One call's leader. <em>Not thread-safe.</em> */
    public final class Leader {
        private final List<KeyRequest<K, V>> led;
        private final LoadFunction<K, V> loader;
        private final Deadline deadline;
        private final Answers<K, V> answers;

        /** From the first key that another process holds. */
        private @Nullable PeerWait peerWait;

        private Leader(
                List<KeyRequest<K, V>> led, LoadFunction<K, V> loader, Deadline deadline, Answers<K, V> answers) {
            this.led = led;
            this.loader = loader;
            this.deadline = deadline;
            this.answers = answers;
        }

        /**
         * Leads flights, which the caller completes afterwards. Each key then has an answer or a failure of its own, or has to
         * retry, with a read; in that case at least one other has been loaded, or it was not read before, or it reloads, and another
         * process has published an entry that is no answer to that.
         */
        public void lead() {
            try {
                for (List<KeyRequest<K, V>> open = open(); !open.isEmpty(); open = open()) {
                    Permit permit = permitFor(open);
                    if (permit == null) {
                        endWithoutPermit(open);
                        return;
                    }
                    try {
                        List<KeyRequest<K, V>> granted = lease(open);
                        if (!granted.isEmpty()) {
                            leave(open);
                            load(granted, permit);
                            return;
                        }
                    } finally {
                        permit.release();
                    }
                    waitFor(in(Phase.WAIT, open));
                }
            } catch (InterruptedException | WaitInterruptedException e) {
                endWait(EventType.WAIT_INTERRUPTED);
                fail(led, request -> Failures.interrupted(request.storeKey(), e));
            } finally {
                endWait(EventType.WAIT_ANSWERED);
            }
        }

        /** Returns the keys whose leases are to be requested next. */
        private List<KeyRequest<K, V>> open() {
            List<KeyRequest<K, V>> open = new ArrayList<>(led.size());
            for (KeyRequest<K, V> request : led) {
                if (request.isOpen()) {
                    open.add(request);
                }
            }
            return open;
        }

        private @Nullable Permit permitFor(List<KeyRequest<K, V>> open) throws InterruptedException {
            if (open.get(0).isUnread()) { // and the only one
                return permits.tryAcquire();
            }
            return permits.acquire(deadline.remainingNanos(), () -> callersOf(open));
        }

        /** Returns how many callers wait: this one, and the followers of its flights. Allocates nothing. */
        private int callersOf(List<KeyRequest<K, V>> open) {
            int callers = 1;
            for (int i = 0; i < open.size(); i++) {
                callers += open.get(i).flight().followers();
            }
            return callers;
        }

        /** Ends all that are open, or leaves them to a retry. */
        private void endWithoutPermit(List<KeyRequest<K, V>> open) {
            if (open.get(0).isUnread()) {
                retry(open.get(0));
            } else {
                lastLook(open, this::withoutPermit);
            }
        }

        /**
         * Requests leases: a key is then to be loaded, held, or answered; or in the same phase, if what was found is of no use.
         * Returns those that are to be loaded.
         */
        private List<KeyRequest<K, V>> lease(List<KeyRequest<K, V>> open) {
            if (peerWait != null) {
                peerWait.beforeRequest();
            }
            for (KeyRequest<K, V> request : open) {
                request.beginRequest();
            }
            try {
                leaseClient.requestAll(open, deadline);
            } catch (WaitTimeoutException e) { // no connection to the store
                Throwable shortage = e.getCause() == null ? e : e.getCause();
                endWait(EventType.WAIT_TIMED_OUT);
                end(
                        open,
                        request -> answers.late(request.lookup(), Failures.noConnection(request.storeKey(), shortage)));
                return List.of();
            }
            boolean isTaken = false;
            try {
                for (KeyRequest<K, V> request : open) {
                    take(request);
                }
                List<KeyRequest<K, V>> granted = in(Phase.LOAD, open);
                if (granted.size() < open.size()) {
                    List<KeyRequest<K, V>> lost = leaseClient.lostMeanwhile(granted);
                    lost.forEach(request -> request.become(Phase.LEASE));
                    granted.removeAll(lost);
                }
                isTaken = true;
                return granted;
            } finally {
                if (!isTaken) { // the codec has thrown an Error
                    leaseClient.giveBackAll(open);
                }
            }
        }

        private void take(KeyRequest<K, V> request) {
            LeaseAttempt instead = request.instead();
            if (peerWait != null && !request.isAnswered()) {
                peerWait.unanswered(request.storeKey());
            }
            if (!request.isAnswered() || instead instanceof LeaseAttempt.Found) {
                request.flight().endMiss();
            }
            if (request.isUnread() && takesFirst(request)) {
                return;
            }
            LoadResult<V> copy =
                    instead == null && !request.isAnswered() ? answers.insteadOfLoad(request.lookup()) : null;
            if (copy != null) {
                request.flight().completeEmpty(); // a copy is not for followers that the store has answered
                leaseClient.giveBackAll(List.of(request));
                answer(request, copy);
            } else if (instead == null) {
                request.become(Phase.LOAD);
                EventType unleased = request.unleased();
                if (unleased != null) {
                    events.report(unleased);
                } else if (request.wasHeld()) {
                    events.report(EventType.LEASE_TAKEN_OVER);
                }
            } else if (instead instanceof LeaseAttempt.Held) {
                request.becomeHeld();
            } else {
                takeResult(request, instead);
            }
        }

        /** Takes the first answer for a key that was not read; returns false if it is a miss, whose answer is yet to be taken. */
        private boolean takesFirst(KeyRequest<K, V> request) {
            request.noteRead();
            if (request.isAnswered() && !(request.instead() instanceof LeaseAttempt.Found)) {
                peers.missed(request.lookup());
                return false;
            }
            Lookup<K, V> hit = request.instead() instanceof LeaseAttempt.Found found
                    ? peers.hit(found, request.lookup(), request.flight())
                    : null;
            if (hit == null) {
                leaseClient.giveBackAll(List.of(request));
                retry(request);
            } else {
                request.become(Phase.DONE);
                answers.hit(hit);
            }
            return true;
        }

        private void takeResult(KeyRequest<K, V> request, LeaseAttempt instead) {
            boolean isTaken = request.takes(instead);
            LoadResult<V> outcome =
                    isTaken ? peers.ofAnswer(instead, request.lookup(), request.flight(), request.hasWaited()) : null;
            if (outcome != null) {
                answer(request, outcome);
            } else if (instead instanceof LeaseAttempt.Found found) {
                request.noteSeen(LeaseToken.startOf(found.stored()), peers.isForOthers(found));
                if (!isTaken) {
                    retry(request); // the others read what was found, and do not wait for this reload
                }
            }
        }

        /** Leaves a key and its followers to a retry. */
        private void retry(KeyRequest<K, V> request) {
            request.become(Phase.READ);
            request.flight().completeEmpty();
        }

        /**
         * While some keys are loaded the others are not pursued: their followers retry, and one of them leads from then on.
         * With two leaders of one key, both would load it at once if the store did not answer.
         */
        private void leave(List<KeyRequest<K, V>> open) {
            endWait(EventType.WAIT_RETRY); // from here on it loads itself
            for (KeyRequest<K, V> request : open) {
                if (request.isOpen()) {
                    retry(request);
                }
            }
        }

        private void load(List<KeyRequest<K, V>> granted, Permit permit) throws InterruptedException {
            long left = deadline.remainingNanos();
            try {
                calls.load(granted, loader, permit);
                for (KeyRequest<K, V> request : granted) {
                    answer(request, request.result());
                }
            } catch (OriginBusyException e) {
                Throwable rejection = e.getCause() == null ? e : e.getCause();
                fail(granted, request -> Failures.rejectedByLoaderExecutor(request.storeKey(), rejection));
            } finally {
                deadline.restart(left); // a load of its own is no wait
            }
        }

        /** Waits until there is a reason for the next request, unless there is one already. */
        private void waitFor(List<KeyRequest<K, V>> held) throws InterruptedException {
            if (held.isEmpty() || held.size() < open().size()) {
                return;
            }
            PeerWait waits = peerWait == null ? new PeerWait(context, notices) : peerWait;
            peerWait = waits;
            held.forEach(KeyRequest::noteWait);
            try {
                PeerWait.Signal<K, V> signal = waits.untilNextRequest(held, deadline);
                KeyRequest<K, V> signalled = signal.request();
                LoadResult<V> outcome = signalled.reloads()
                        ? null // the next request decides
                        : peers.ofNotice(signal.notice(), signalled.lookup(), signalled.flight(), deadline);
                if (outcome != null) {
                    answer(signalled, outcome);
                }
            } catch (WaitTimeoutException e) {
                lastLook(
                        held,
                        shortage -> request -> Failures.waitTimeout(
                                request.storeKey(), request.held().holder()));
            }
        }

        private void endWait(EventType outcome) {
            if (peerWait != null) {
                peerWait.over(outcome);
            }
        }

        /** Another caller may have loaded some while this one waited; {@code failure} is for the others. */
        private void lastLook(
                List<KeyRequest<K, V>> open,
                Function<@Nullable StoreException, Function<KeyRequest<K, V>, CacheException>> failure) {
            List<String> asked = new ArrayList<>();
            for (KeyRequest<K, V> request : open) {
                request.flight().beginAttempt();
                if (request.lookup().storeAnswers() && !request.reloads()) {
                    asked.add(request.storeKey());
                }
            }
            Map<String, byte @Nullable []> entries = Map.of();
            StoreException shortage = null;
            try {
                entries = asked.isEmpty() ? Map.of() : store.read(asked, Duration.ZERO); // the deadline is over
            } catch (StoreException e) {
                asked.forEach(key -> events.report(EventType.STORE_UNAVAILABLE));
                events.fault(FaultSource.STORE, e);
                shortage = e.isShortage() ? e : null;
            }
            for (KeyRequest<K, V> request : open) {
                byte[] entry = entries.get(request.storeKey());
                LoadResult<V> outcome = entry == null ? null : peers.found(entry, request.lookup(), request.flight());
                if (outcome != null) {
                    answer(request, outcome);
                }
            }
            if (!open().isEmpty()) {
                endWait(EventType.WAIT_TIMED_OUT);
                Function<KeyRequest<K, V>, CacheException> with = failure.apply(shortage);
                end(open, request -> answers.late(request.lookup(), with.apply(request)));
            }
        }

        /** Without a running loader, the holders of the permits wait for connections too. */
        private Function<KeyRequest<K, V>, CacheException> withoutPermit(@Nullable StoreException shortage) {
            return shortage == null || permits.isAnyInLoader()
                    ? request -> Failures.noPermit(request.storeKey())
                    : request -> Failures.noConnection(request.storeKey(), shortage);
        }

        private void answer(KeyRequest<K, V> request, LoadResult<V> outcome) {
            request.become(Phase.DONE);
            answers.outcome(request.lookup(), outcome);
        }

        private void fail(List<KeyRequest<K, V>> some, Function<KeyRequest<K, V>, CacheException> with) {
            end(some, request -> answers.failure(request.lookup(), with.apply(request)));
        }

        /** Ends those of the keys that have no answer yet. */
        private void end(List<KeyRequest<K, V>> some, Consumer<KeyRequest<K, V>> how) {
            for (KeyRequest<K, V> request : some) {
                if (request.phase() != Phase.DONE) {
                    request.become(Phase.DONE);
                    how.accept(request);
                }
            }
        }
    }
}
