package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.loader.BulkLoader;
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
 * Reloads the stale and soon stale entries of a batch in the background, as {@link BackgroundRefresh} does with one:
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
final class BulkRefresh<K, V> {
    private final LoadParts<K, V> load;
    private final BulkCalls<K, V> calls;
    private final RefreshQueue queue;
    private final SingleFlight<Outcome<V>> flights;
    private final StoreReads<K, V> reads;
    private final Rests resting;
    private final TimeSource time;
    private final CacheEvents events;

    BulkRefresh(
            CacheParts<K, V> parts,
            LoadParts<K, V> load,
            RefreshQueue queue,
            SingleFlight<Outcome<V>> flights,
            StoreReads<K, V> reads) {
        this.load = load;
        this.calls = new BulkCalls<>(load);
        this.queue = queue;
        this.flights = flights;
        this.reads = reads;
        this.resting = Rests.of(parts.policy());
        this.time = parts.time();
        this.events = parts.events();
    }

    /**
     * Queues the reload of many entries. Does not block.
     *
     * @param due what the store has
     * @param copies what only the near cache was asked for
     */
    void offer(Collection<Look<K, V>> due, List<NamedKey<K>> copies, BulkLoader<K, V> loader) {
        Map<String, RefreshOutcome> claimed = new LinkedHashMap<>();
        List<Look<K, V>> looks = new ArrayList<>();
        List<NamedKey<K>> unread = new ArrayList<>();
        for (Look<K, V> look : due) {
            if (queue.claim(look.storeKey())) {
                claimed.put(look.storeKey(), look.isFresh() ? RefreshOutcome.EARLY : RefreshOutcome.QUEUED);
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

    private Map<String, Duration> reload(List<Look<K, V>> looks, List<NamedKey<K>> unread, BulkLoader<K, V> loader)
            throws InterruptedException {
        Map<String, Duration> rests = new HashMap<>();
        List<Look<K, V>> all = new ArrayList<>(looks);
        if (!unread.isEmpty()) {
            List<Look<K, V>> read = reads.lookAll(unread, resting.brief());
            for (Look<K, V> look : read) {
                if (look.storeAnswers() && look.stored() == null) {
                    all.add(look);
                }
                rests.put(look.storeKey(), look.storeAnswers() ? resting.brief() : resting.withoutStore());
            }
            all.addAll(DueKeys.among(read));
        }
        List<Seat<Outcome<V>>> seats = new ArrayList<>(all.size()); // with room: a flight joined must not be lost
        List<KeyLoad<K, V>> led = new ArrayList<>();
        try {
            for (Look<K, V> look : all) {
                seats.add(flights.join(look.storeKey()));
                Seat<Outcome<V>> seat = seats.get(seats.size() - 1);
                if (seat.leads()) {
                    led.add(KeyLoad.inBackground(look, seat.flight()));
                } else {
                    rests.put(look.storeKey(), resting.brief());
                }
            }
            if (!led.isEmpty()) {
                lead(led, loader, rests);
            }
        } finally {
            Seat.landEmpty(seats);
        }
        return rests;
    }

    private void lead(List<KeyLoad<K, V>> led, BulkLoader<K, V> loader, Map<String, Duration> rests)
            throws InterruptedException {
        Permit permit = load.gate().tryAcquire();
        if (permit == null) {
            led.forEach(dropped -> {
                events.refresh(RefreshOutcome.DROPPED);
                rests.put(dropped.storeKey(), resting.brief());
            });
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

    /** Returns for how long there is no point in trying again. */
    private Duration load(List<Target<K, V>> granted, BulkLoader<K, V> loader, Permit permit)
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
            answers = load.questions().askAll(led, Deadline.in(resting.brief(), time));
        } catch (WaitTimeoutException e) { // no connection to the store
            led.forEach(each -> rests.put(each.storeKey(), resting.brief()));
            return List.of();
        }
        List<Target<K, V>> granted = new ArrayList<>();
        List<Target<K, V>> unanswered = new ArrayList<>();
        for (KeyLoad<K, V> each : led) {
            LeaseQuestions.Answer answer = requireNonNull(answers.get(each.storeKey()));
            if (answer.instead() != null) {
                rests.put(each.storeKey(), load.peers().restAfter(answer.instead(), each.look(), each.flight()));
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
        load.publication().giveBack(unanswered);
        return granted;
    }
}
