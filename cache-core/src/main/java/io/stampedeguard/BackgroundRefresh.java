package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reloads entries in the background, those that are stale (stale-while-revalidate, RFC 5861) and those that soon will be ({@link
 * EarlyRefresh}), as {@link RefreshQueue} lets it. A single key is a set of one:
 *
 * <ol>
 *   <li>what is queued already, or rests, is left out;
 *   <li>copies of the near cache are looked up in the store: somebody else may have reloaded them. What was loaded together
 *       is reloaded together ({@link DueKeys});
 *   <li>what nobody loads in this process is loaded under one permit, if one is free: the leases are asked for at once, and
 *       the loader is called once for all that are granted. Nobody waits.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class BackgroundRefresh<K, V> {
    private final LoadGate gate;
    private final LeaseQuestions<K, V> questions;
    private final LoaderCalls<K, V> calls;
    private final Publication<K, V> publication;
    private final PeerAnswers<K, V> peers;
    private final RefreshQueue queue;
    private final SingleFlight<Outcome<V>> flights;
    private final StoreReads<K, V> reads;
    private final Rests resting;
    private final TimeSource time;
    private final CacheEvents events;

    BackgroundRefresh(
            CacheParts<K, V> parts,
            LoadParts<K, V> load,
            RefreshQueue queue,
            SingleFlight<Outcome<V>> flights,
            StoreReads<K, V> reads) {
        this.gate = load.gate();
        this.questions = load.questions();
        this.calls = load.calls();
        this.publication = load.publication();
        this.peers = load.peers();
        this.queue = queue;
        this.flights = flights;
        this.reads = reads;
        this.resting = Rests.of(parts.policy());
        this.time = parts.time();
        this.events = parts.events();
    }

    /** Queues the reload of an entry, unless it is queued already, or rests. Does not block. */
    void offer(Look<K, V> look, Loader<? super K, ? extends V> loader) {
        if (queue.claim(look.storeKey())) {
            queue.add(
                    Map.of(look.storeKey(), outcomeOf(look)),
                    () -> reload(List.of(look), List.of(), LoadFunction.ofEach(loader)));
        }
    }

    /**
     * Queues a look into the store, for a copy of the near cache that is to be reloaded, and then the reload, if nobody else
     * has brought that about. Otherwise identical to {@link #offer}.
     */
    void offerCopy(K key, String storeKey, Loader<? super K, ? extends V> loader) {
        if (queue.claim(storeKey)) {
            queue.add(
                    Map.of(storeKey, RefreshOutcome.EARLY),
                    () -> reload(List.of(), List.of(new NamedKey<>(key, storeKey)), LoadFunction.ofEach(loader)));
        }
    }

    /**
     * Queues the reload of many entries. Does not block.
     *
     * @param due what the store has
     * @param copies what only the near cache was asked for
     */
    void offer(Collection<Look<K, V>> due, List<NamedKey<K>> copies, LoadFunction<K, V> loader) {
        Map<String, RefreshOutcome> claimed = new LinkedHashMap<>();
        List<Look<K, V>> looks = new ArrayList<>();
        List<NamedKey<K>> unread = new ArrayList<>();
        for (Look<K, V> look : due) {
            if (queue.claim(look.storeKey())) {
                claimed.put(look.storeKey(), outcomeOf(look));
                looks.add(look);
            }
        }
        for (NamedKey<K> copy : copies) {
            if (queue.claim(copy.storeKey())) {
                claimed.put(copy.storeKey(), RefreshOutcome.EARLY);
                unread.add(copy);
            }
        }
        if (!claimed.isEmpty()) {
            queue.add(claimed, () -> reload(looks, unread, loader));
        }
    }

    private static RefreshOutcome outcomeOf(Look<?, ?> look) {
        return look.isFresh() ? RefreshOutcome.EARLY : RefreshOutcome.QUEUED;
    }

    /** Reloads what is due; returns for how long there is no point in trying each key again. */
    private Map<String, Duration> reload(List<Look<K, V>> looks, List<NamedKey<K>> unread, LoadFunction<K, V> loader)
            throws InterruptedException {
        Map<String, Duration> rests = new HashMap<>();
        List<Look<K, V>> due = new ArrayList<>(looks);
        if (!unread.isEmpty()) {
            List<Look<K, V>> read = reads.lookAll(unread, resting.brief());
            for (Look<K, V> look : read) {
                if (look.storeAnswers() && look.stored() == null) {
                    due.add(look);
                }
                rests.put(look.storeKey(), look.storeAnswers() ? resting.brief() : resting.withoutStore());
            }
            due.addAll(DueKeys.among(read));
        }
        return flights.joinAll(due, Look::storeKey, seats -> lead(due, seats, loader, rests));
    }

    /** Leads what nobody leads. */
    private Map<String, Duration> lead(
            List<Look<K, V>> due, List<Seat<Outcome<V>>> seats, LoadFunction<K, V> loader, Map<String, Duration> rests)
            throws InterruptedException {
        List<KeyLoad<K, V>> led = new ArrayList<>();
        for (int i = 0; i < seats.size(); i++) {
            Look<K, V> look = due.get(i);
            if (seats.get(i).leads()) {
                led.add(KeyLoad.inBackground(look, seats.get(i).flight()));
            } else {
                rests.put(look.storeKey(), resting.brief());
            }
        }
        if (!led.isEmpty()) {
            lead(led, loader, rests);
        }
        return rests;
    }

    private void lead(List<KeyLoad<K, V>> led, LoadFunction<K, V> loader, Map<String, Duration> rests)
            throws InterruptedException {
        Permit permit = gate.tryAcquire();
        if (permit == null) {
            drop(led, rests);
            return;
        }
        try {
            led.forEach(each -> each.flight().beginAttempt());
            List<Target<K, V>> granted = granted(led, rests);
            if (!granted.isEmpty()) {
                Duration rest = load(granted, loader, permit);
                granted.forEach(target -> rests.put(target.storeKey(), rest));
            }
        } finally {
            permit.release();
        }
    }

    private void drop(List<KeyLoad<K, V>> led, Map<String, Duration> rests) {
        led.forEach(dropped -> {
            events.refresh(RefreshOutcome.DROPPED);
            rests.put(dropped.storeKey(), resting.brief());
        });
    }

    /** Returns for how long there is no point in trying again. */
    private Duration load(List<Target<K, V>> granted, LoadFunction<K, V> loader, Permit permit)
            throws InterruptedException {
        try {
            if (calls.load(granted, loader, permit).get(0) instanceof Outcome.Failure<V> failure) {
                events.fault(FaultSource.LOADER, failure.cause());
                return resting.afterFailure();
            }
        } catch (OriginBusyException e) { // the executor for loaders takes no more
            granted.forEach(dropped -> events.refresh(RefreshOutcome.DROPPED));
        }
        return resting.brief();
    }

    private List<Target<K, V>> granted(List<KeyLoad<K, V>> led, Map<String, Duration> rests) {
        Map<String, LeaseQuestions.Answer> answers;
        try {
            answers = questions.askAll(led, Deadline.in(resting.brief(), time));
        } catch (WaitTimeoutException e) { // no connection to the store
            drop(led, rests);
            return List.of();
        }
        List<Target<K, V>> granted = new ArrayList<>();
        List<Target<K, V>> unanswered = new ArrayList<>();
        for (KeyLoad<K, V> each : led) {
            LeaseQuestions.Answer answer = requireNonNull(answers.get(each.storeKey()));
            if (answer.instead() != null) {
                rests.put(each.storeKey(), peers.restAfter(answer.instead(), each.look(), each.flight()));
                each.flight().landEmpty(); // nobody pursues it while the others are loaded
            } else {
                Target<K, V> target = each.under(answer.lease());
                (answer.isGranted() ? granted : unanswered).add(target);
            }
        }
        unanswered.forEach(target -> {
            rests.put(target.storeKey(), resting.brief());
            target.flight().landEmpty();
        });
        publication.giveBack(unanswered);
        return granted;
    }
}
