package io.stampedeguard.internal.load;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.call.LoaderInvoker;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.PeerResults;
import io.stampedeguard.internal.peer.PeerWait;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Loads for a waiting caller: from the flights that it leads to the loader. A single key is a set of one:
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
        void outcome(Look<K, V> look, LoadResult<V> outcome);

        /** Takes the hit of a key that was not read before. */
        void hit(Look<K, V> look);

        /** Takes the reason why a key has no answer. */
        void failure(Look<K, V> look, CacheException failure);

        /** Returns what comes before a load without a lease; {@code null} if there is nothing. */
        @Nullable
        LoadResult<V> insteadOfLoad(Look<K, V> look);
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

    /** Returns the leader of one call, which may lead several times. */
    public Leader of(LoadFunction<K, V> loader, Deadline deadline, Answers<K, V> answers) {
        return new Leader(loader, deadline, answers);
    }

    /** One call's leader. <em>Not thread-safe.</em> */
    public final class Leader {
        private final LoadFunction<K, V> loader;
        private final Deadline deadline;
        private final Answers<K, V> answers;

        /** Keys that another process held when their leases were requested. */
        private final Set<String> heldBefore = new HashSet<>();

        /** Keys that were not read, and of which no lease was requested yet. */
        private final Set<String> unread = new HashSet<>();

        private final PeerWait peerWait = new PeerWait(context, notices);

        /** Keys without an answer, in the order of the call. */
        private final Map<String, KeyLoad<K, V>> pending = new LinkedHashMap<>();

        private final Set<String> waitedFor = new HashSet<>();

        /** Keys that were not pursued while others were loaded. */
        private final List<KeyLoad<K, V>> retried = new ArrayList<>();

        private Leader(LoadFunction<K, V> loader, Deadline deadline, Answers<K, V> answers) {
            this.loader = loader;
            this.deadline = deadline;
            this.answers = answers;
        }

        /**
         * Leads flights, which the caller completes afterwards; each key then has an answer or a failure of its own. Returns the
         * keys that have to retry, with a read; then at least one other has been loaded, or they were not read before.
         */
        public List<NamedKey<K>> lead(Collection<KeyLoad<K, V>> all) {
            retried.clear();
            waitedFor.clear();
            unread.clear();
            for (KeyLoad<K, V> led : all) {
                pending.put(led.storeKey(), led);
                if (!led.look().isRead()) {
                    unread.add(led.storeKey());
                }
            }
            try {
                while (!pending.isEmpty()) {
                    loadOrWait();
                }
            } catch (InterruptedException | WaitInterruptedException e) {
                peerWait.over(EventType.WAIT_INTERRUPTED);
                retried.forEach(led -> pending.put(led.storeKey(), led));
                retried.clear();
                fail(everyPending(), storeKey -> Failures.interrupted(storeKey, e));
            } finally {
                pending.clear(); // an Error leaves some behind
                peerWait.over(EventType.WAIT_ANSWERED);
            }
            List<NamedKey<K>> again = new ArrayList<>(retried.size());
            for (KeyLoad<K, V> led : retried) {
                again.add(new NamedKey<>(led.look().key(), led.storeKey()));
            }
            return again;
        }

        private void loadOrWait() throws InterruptedException {
            Map<String, LeaseAttempt.Held> held = new LinkedHashMap<>();
            List<KeyLoad<K, V>> led = everyPending();
            Permit permit = unread.isEmpty()
                    ? permits.acquire(deadline.remainingNanos(), () -> callersOf(led))
                    : permits.tryAcquire();
            if (permit == null) {
                if (unread.isEmpty()) {
                    lastLook(this::withoutPermit);
                } else {
                    led.stream().filter(each -> unread.remove(each.storeKey())).forEach(this::retry);
                }
                return;
            }
            try {
                peerWait.beforeRequest();
                beginAttempts();
                beginMisses();
                List<KeyLoad<K, V>> granted = granted(leaseClient.requestAll(pending.values(), deadline), held);
                if (!granted.isEmpty()) {
                    peerWait.over(EventType.WAIT_RETRY); // from here on it loads itself
                    retryAllBut(granted);
                    loadNow(granted, permit);
                    return;
                }
            } catch (WaitTimeoutException e) { // no connection to the store
                Throwable shortage = e.getCause() == null ? e : e.getCause();
                peerWait.over(EventType.WAIT_TIMED_OUT);
                fail(everyPending(), storeKey -> Failures.noConnection(storeKey, shortage));
                return;
            } finally {
                permit.release();
            }
            if (!held.isEmpty() && held.size() == pending.size()) {
                waitFor(held);
            }
        }

        private void beginAttempts() {
            pending.values().forEach(led -> led.flight().beginAttempt());
        }

        private void beginMisses() {
            for (KeyLoad<K, V> led : pending.values()) {
                if (led.look().storeAnswers() && !led.keepsEntry()) {
                    led.flight().beginMiss();
                }
            }
        }

        /** Returns how many callers wait: this one, and the followers of its flights. Allocates nothing. */
        private int callersOf(List<KeyLoad<K, V>> led) {
            int callers = 1;
            for (int i = 0; i < led.size(); i++) {
                callers += led.get(i).flight().followers();
            }
            return callers;
        }

        /** Returns what is to be loaded now, as {@link #sort} does. If the codec throws an Error, all leases are released. */
        private List<KeyLoad<K, V>> granted(
                Map<String, LeaseClient.Answer> leases, Map<String, LeaseAttempt.Held> held) {
            int requested = pending.size();
            boolean isSorted = false;
            try {
                List<KeyLoad<K, V>> granted = sort(leases, held);
                if (granted.size() < requested) {
                    granted.removeAll(leaseClient.lostMeanwhile(granted));
                }
                isSorted = true;
                return granted;
            } finally {
                if (!isSorted) {
                    leaseClient.giveBackAll(leases);
                }
            }
        }

        /** Answers what can be answered; returns what is to be loaded now, and notes what is held. */
        private List<KeyLoad<K, V>> sort(Map<String, LeaseClient.Answer> leases, Map<String, LeaseAttempt.Held> held) {
            List<KeyLoad<K, V>> granted = new ArrayList<>();
            for (KeyLoad<K, V> led : everyPending()) {
                LeaseClient.Answer answer = requireNonNull(leases.get(led.storeKey()));
                LeaseAttempt instead = answer.instead();
                if (!answer.isAnswered()) {
                    peerWait.unanswered(led.storeKey());
                }
                if (!answer.isAnswered() || instead instanceof LeaseAttempt.Found) {
                    led.flight().endMiss();
                }
                if (unread.remove(led.storeKey()) && isOverAfterRead(led, answer)) {
                    continue;
                }
                LoadResult<V> copy = instead == null && !answer.isAnswered() ? answers.insteadOfLoad(led.look()) : null;
                if (copy != null) {
                    led.flight().completeEmpty(); // a copy is not for followers that the store has answered
                    leaseClient.giveBack(led, answer);
                    answer(led.look(), copy);
                } else if (instead == null) {
                    granted.add(led.under(answer.lease()));
                    events.unleasedLoad(answer.unleased(led));
                    if (heldBefore.contains(led.storeKey()) && answer.isGranted()) {
                        events.report(EventType.LEASE_TAKEN_OVER);
                    }
                } else if (instead instanceof LeaseAttempt.Held by) {
                    held.put(led.storeKey(), by);
                    heldBefore.add(led.storeKey());
                } else {
                    completeWith(led, instead);
                }
            }
            return granted;
        }

        /** Takes the first answer for a key that was not read; returns false if it is a miss. */
        private boolean isOverAfterRead(KeyLoad<K, V> led, LeaseClient.Answer answer) {
            if (answer.isAnswered() && !(answer.instead() instanceof LeaseAttempt.Found)) {
                peers.missed(led.look());
                return false;
            }
            Look<K, V> hit = answer.instead() instanceof LeaseAttempt.Found found
                    ? peers.hit(found, led.look(), led.flight())
                    : null;
            if (hit == null) {
                leaseClient.giveBack(led, answer);
                retry(led);
            } else {
                pending.remove(led.storeKey());
                answers.hit(hit);
            }
            return true;
        }

        /** Leaves a key and its followers to a retry. */
        private void retry(KeyLoad<K, V> led) {
            pending.remove(led.storeKey());
            retried.add(led);
            led.flight().completeEmpty();
        }

        private void completeWith(KeyLoad<K, V> led, LeaseAttempt instead) {
            LoadResult<V> outcome =
                    peers.ofAnswer(instead, led.look(), led.flight(), waitedFor.contains(led.storeKey()));
            if (outcome != null) {
                answer(led.look(), outcome);
            } else if (instead instanceof LeaseAttempt.Found found) {
                led.hasSeen(LeaseToken.startOf(found.stored()), peers.isForOthers(found));
            }
        }

        /**
         * While some keys are loaded the others are not pursued: their followers retry, and one of them leads from then on.
         * With two leaders of one key, both would load it at once if the store did not answer.
         */
        private void retryAllBut(List<KeyLoad<K, V>> granted) {
            if (granted.size() == pending.size()) {
                return;
            }
            Set<String> loaded = new HashSet<>();
            granted.forEach(target -> loaded.add(target.storeKey()));
            for (KeyLoad<K, V> led : everyPending()) {
                if (!loaded.contains(led.storeKey())) {
                    retry(led);
                }
            }
        }

        private void loadNow(List<KeyLoad<K, V>> granted, Permit permit) throws InterruptedException {
            waitedFor.clear(); // no caller waits meanwhile
            long left = deadline.remainingNanos();
            try {
                List<LoadResult<V>> outcomes = calls.load(granted, loader, permit);
                for (int i = 0; i < granted.size(); i++) {
                    answer(granted.get(i).look(), outcomes.get(i));
                }
            } catch (OriginBusyException e) {
                Throwable rejection = e.getCause() == null ? e : e.getCause();
                fail(everyPending(), storeKey -> Failures.rejectedByLoaderExecutor(storeKey, rejection));
            } finally {
                deadline.restart(left); // a load of its own is no wait
                granted.forEach(target -> target.flight().completeEmpty()); // an interrupted loader has completed none
            }
        }

        private void waitFor(Map<String, LeaseAttempt.Held> held) throws InterruptedException {
            waitedFor.addAll(held.keySet());
            try {
                PeerWait.Signal signal = peerWait.untilNextRequest(held, deadline, this::beginAttempts);
                KeyLoad<K, V> led = requireNonNull(pending.get(signal.storeKey()));
                LoadResult<V> outcome = peers.ofNotice(signal.notice(), led.look(), led.flight(), deadline);
                if (outcome != null) {
                    answer(led.look(), outcome);
                }
            } catch (WaitTimeoutException e) {
                lastLook(shortage -> storeKey -> Failures.waitTimeout(
                        storeKey, requireNonNull(held.get(storeKey)).holder()));
            }
        }

        /** Another caller may have loaded some while this one waited; {@code failure} is for the others. */
        private void lastLook(Function<@Nullable StoreException, Function<String, CacheException>> failure) {
            beginAttempts();
            List<String> asked = new ArrayList<>();
            for (KeyLoad<K, V> led : pending.values()) {
                if (led.look().storeAnswers()) {
                    asked.add(led.storeKey());
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
            for (KeyLoad<K, V> led : everyPending()) {
                byte[] entry = entries.get(led.storeKey());
                LoadResult<V> outcome = entry == null ? null : peers.found(entry, led.look(), led.flight());
                if (outcome != null) {
                    answer(led.look(), outcome);
                }
            }
            if (!pending.isEmpty()) {
                peerWait.over(EventType.WAIT_TIMED_OUT);
                fail(everyPending(), failure.apply(shortage));
            }
        }

        /** Without a running loader, the holders of the permits wait for connections too. */
        private Function<String, CacheException> withoutPermit(@Nullable StoreException shortage) {
            return shortage == null || permits.isAnyInLoader()
                    ? Failures::noPermit
                    : storeKey -> Failures.noConnection(storeKey, shortage);
        }

        private List<KeyLoad<K, V>> everyPending() {
            return new ArrayList<>(pending.values());
        }

        private void answer(Look<K, V> look, LoadResult<V> outcome) {
            pending.remove(look.storeKey());
            answers.outcome(look, outcome);
        }

        private void fail(List<KeyLoad<K, V>> failed, Function<String, CacheException> with) {
            for (KeyLoad<K, V> led : failed) {
                pending.remove(led.storeKey());
                answers.failure(led.look(), with.apply(led.storeKey()));
            }
        }
    }
}
