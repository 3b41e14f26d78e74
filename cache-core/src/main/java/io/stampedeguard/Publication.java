package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.entry.EntryCodec;
import io.stampedeguard.entry.FailureText;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a load that is over, of one key or of many:
 *
 * <ol>
 *   <li>the flight leaves the map, so that nobody who comes after the value is published joins the load that made it;
 *   <li>a value is published, or the entry that is there is extended if the loader says that it was not modified, if the
 *       lease is still held; then it holds for everybody on board. If it is not, the key was invalidated or somebody else has
 *       taken over: the value holds only for those who came before the load began;
 *   <li>a value that was loaded without a lease, as the store did not answer, holds for the same, and for those whom
 *       the store did not answer either. It is not stored, though the lease may have been granted: the question may have
 *       reached the store long after the load began, and an invalidation before it;
 *   <li>a failure is handed to everybody on board, and the lease replaced by its mark: the key cools down.
 * </ol>
 *
 * <p>Of a load of many keys each is judged by itself. <em>Thread-safe.</em>
 */
final class Publication<K, V> {
    private final SharedStore store;
    private final Landings<K, V> landings;
    private final LeaseEnds leases;
    private final CacheEvents events;
    private final Errands errands;

    Publication(CacheParts<K, V> parts, LeaseEnds leases, Errands errands) {
        this.store = parts.store();
        this.landings = new Landings<>(parts);
        this.leases = leases;
        this.events = parts.events();
        this.errands = errands;
    }

    /** Settles a load of one key. */
    Outcome<V> settle(Target<K, V> target, LoadRun<Loaded<V>> run) {
        target.flight().leave();
        Loaded<V> loaded = run.result();
        if (run.failure() != null || loaded == null) {
            return settleFailure(List.of(target), run, requireNonNull(run.failure()));
        }
        Landings.Ready<K, V> ready = landings.prepare(target, loaded, run.nanos());
        HeldLease lease = certainLease(target);
        if (lease == null) {
            landUnleased(List.of(ready));
        } else {
            landings.land(ready, leases.ask(lease, () -> publish(ready, lease)));
        }
        return ready.outcome();
    }

    /**
     * Settles a load of many keys.
     *
     * @param run what was loaded, in the order of the targets
     * @return what each brought, in the same order
     */
    List<Outcome<V>> settleAll(List<Target<K, V>> targets, LoadRun<List<Loaded<V>>> run) {
        targets.forEach(target -> target.flight().leave());
        List<Loaded<V>> loaded = run.result();
        List<Outcome<V>> outcomes = new ArrayList<>(targets.size());
        if (run.failure() != null || loaded == null) {
            Outcome<V> failed = settleFailure(targets, run, requireNonNull(run.failure()));
            targets.forEach(target -> outcomes.add(failed));
            return outcomes;
        }
        List<Landings.Ready<K, V>> all = new ArrayList<>(targets.size());
        for (int i = 0; i < targets.size(); i++) {
            all.add(landings.prepare(targets.get(i), loaded.get(i), run.nanos()));
        }
        settleValues(all);
        all.forEach(ready -> outcomes.add(ready.outcome()));
        return outcomes;
    }

    /**
     * Settles loads that were cut off at the {@code loadTimeout}, whose flights have landed. Does not block.
     *
     * @param ranNanos how long the loader had run
     */
    void timedOut(List<Target<K, V>> targets, Duration loadTimeout, long ranNanos) {
        errands.run(() -> {
            targets.forEach(target -> events.load(LoadOutcome.TIMED_OUT, ranNanos));
            leases.fail(targets, target -> Outcome.TimedOut.text(target.storeKey(), loadTimeout));
        });
    }

    /** Gives the leases of targets back that nobody loads any more. Does not block. */
    void giveBack(List<Target<K, V>> targets) {
        List<HeldLease> held = leasesOf(targets);
        if (!held.isEmpty()) {
            leases.giveBack(held);
        }
    }

    private void settleValues(List<Landings.Ready<K, V>> all) {
        List<Landings.Ready<K, V>> unleased = new ArrayList<>();
        List<NewEntry> entries = new ArrayList<>();
        List<HeldLease> withEntries = new ArrayList<>();
        List<HeldLease> withNothing = new ArrayList<>();
        for (Landings.Ready<K, V> ready : all) {
            HeldLease lease = certainLease(ready.target());
            EntryWriter.Written entry = ready.entry();
            if (lease == null) {
                unleased.add(ready);
            } else if (entry == null) {
                withNothing.add(lease);
            } else {
                withEntries.add(lease);
                entries.add(new NewEntry(lease, entry.bytes(), entry.ttl()));
            }
        }
        landUnleased(unleased);
        Map<String, Boolean> heldToTheEnd = new HashMap<>();
        if (!entries.isEmpty()) {
            heldToTheEnd.putAll(leases.askAll(withEntries, () -> store.publishAll(entries)));
        }
        heldToTheEnd.putAll(leases.abandon(withNothing));
        for (Landings.Ready<K, V> ready : all) {
            if (certainLease(ready.target()) != null) {
                landings.land(ready, heldToTheEnd.get(ready.target().storeKey()));
            }
        }
    }

    private void landUnleased(List<Landings.Ready<K, V>> unleased) {
        List<Target<K, V>> targets = new ArrayList<>(unleased.size());
        for (Landings.Ready<K, V> ready : unleased) {
            landings.landUnleased(ready);
            targets.add(ready.target());
        }
        giveBack(targets);
    }

    private static @Nullable HeldLease certainLease(Target<?, ?> target) {
        Lease lease = target.lease();
        return lease != null && lease.certain() ? new HeldLease(target.storeKey(), lease.token()) : null;
    }

    private List<HeldLease> leasesOf(List<Target<K, V>> targets) {
        List<HeldLease> held = new ArrayList<>(targets.size());
        for (Target<K, V> target : targets) {
            Lease lease = target.lease();
            if (lease != null) {
                held.add(new HeldLease(target.storeKey(), lease.token()));
            }
        }
        return held;
    }

    private boolean publish(Landings.Ready<K, V> ready, HeldLease lease) {
        EntryWriter.Written entry = ready.entry();
        if (entry == null) {
            return store.abandon(lease.key(), lease.token());
        }
        LeaseToken seen = ready.target().look().seen();
        return (ready.loaded().isNotModified() && !entry.isTombstone() && seen != null)
                ? store.extend(lease.key(), lease.token(), seen, EntryCodec.headOf(entry.bytes()), entry.ttl())
                : store.publish(lease.key(), lease.token(), entry.bytes(), entry.ttl());
    }

    private Outcome<V> settleFailure(List<Target<K, V>> targets, LoadRun<?> run, Throwable cause) {
        Outcome<V> outcome = new Outcome.Failure<>(cause);
        boolean interrupted = cause instanceof InterruptedException;
        for (Target<K, V> target : targets) {
            if (!interrupted) { // that is the affair of its thread, not the origin's: the others try for themselves
                target.flight().landForAll(outcome);
            }
            events.load(LoadOutcome.FAILED, run.nanos());
        }
        if (interrupted) {
            leases.abandon(leasesOf(targets));
        } else {
            leases.fail(targets, target -> FailureText.of(cause));
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return outcome;
    }
}
