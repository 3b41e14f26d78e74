package io.stampedeguard;

import io.stampedeguard.entry.FailureText;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.flight.Flight;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a load that is over:
 *
 * <ol>
 *   <li>the flight leaves the map, so that nobody who comes after the value is published joins the load that made it;
 *   <li>a value is published, if the lease is still held; then it holds for everybody on board. If it is not, the key was
 *       invalidated or somebody else has taken over: the value holds only for those who came before the load began;
 *   <li>a value that was loaded without a lease, as the store did not answer, holds for the same, and for those whom
 *       the store did not answer either;
 *   <li>a failure is handed to everybody on board, and the lease replaced by its mark: the key cools down.
 * </ol>
 *
 * <p>A lease that may still be held when the store fails to answer is given back by an errand. <em>Thread-safe.</em>
 */
final class Publication<V> {
    private final SharedStore store;
    private final EntryWriter<V> writer;
    private final boolean keepsNegatives;
    private final CoolDown coolDown;
    private final CacheEvents events;
    private final Errands errands;

    Publication(CacheParts<?, V> parts, Errands errands) {
        this.store = parts.store();
        this.writer = parts.writer();
        this.keepsNegatives = !parts.policy().negativeTtl().isZero();
        this.coolDown = new CoolDown(parts.policy());
        this.events = parts.events();
        this.errands = errands;
    }

    Outcome<V> settle(String storeKey, @Nullable Lease lease, LoadRun<V> run, Flight<Outcome<V>> flight) {
        flight.leave();
        return run.failure() == null
                ? settleValue(storeKey, lease, run, flight)
                : settleFailure(storeKey, lease, run, run.failure(), flight);
    }

    /** Settles a load that is cut off at the {@code loadTimeout}. Does not block. */
    void timeOut(String storeKey, @Nullable Lease lease, Duration loadTimeout, Flight<Outcome<V>> flight) {
        Outcome.TimedOut<V> outcome = new Outcome.TimedOut<>(loadTimeout);
        flight.landForAll(outcome);
        errands.run(() -> {
            events.load(LoadOutcome.TIMED_OUT, loadTimeout.toNanos());
            if (lease != null) {
                fail(storeKey, lease, outcome.text(storeKey));
            }
        });
    }

    /** Gives a lease back that may be held and that nobody needs. Does not block. */
    void giveBack(String storeKey, LeaseToken lease) {
        errands.run(() -> {
            try {
                store.abandon(storeKey, lease);
            } catch (StoreException e) {
                events.fault(FaultSource.STORE, e);
            }
        });
    }

    private Outcome<V> settleValue(String storeKey, @Nullable Lease lease, LoadRun<V> run, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = new Outcome.Value<>(run.value());
        if (lease == null) {
            flight.landUnleased(outcome);
            events.load(LoadOutcome.UNSTORED, run.nanos());
            return outcome;
        }
        EntryWriter.Written entry = run.value() == null && !keepsNegatives ? null : encode(lease, run);
        Boolean heldToTheEnd = ask(
                storeKey,
                lease,
                () -> entry == null
                        ? store.abandon(storeKey, lease.token())
                        : store.publish(storeKey, lease.token(), entry.bytes(), entry.ttl()));
        if (Boolean.TRUE.equals(heldToTheEnd)) {
            flight.landForAll(outcome);
        } else if (lease.certain()) {
            flight.landForEarly(outcome);
        } else {
            flight.landUnleased(outcome);
        }
        events.load(outcomeOf(entry, lease, heldToTheEnd), run.nanos());
        return outcome;
    }

    private static LoadOutcome outcomeOf(
            EntryWriter.@Nullable Written entry, Lease lease, @Nullable Boolean heldToTheEnd) {
        if (entry == null || heldToTheEnd == null || (!heldToTheEnd && !lease.certain())) {
            return LoadOutcome.UNSTORED;
        }
        return heldToTheEnd ? LoadOutcome.STORED : LoadOutcome.REFUSED;
    }

    private Outcome<V> settleFailure(
            String storeKey, @Nullable Lease lease, LoadRun<V> run, Throwable cause, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = new Outcome.Failure<>(cause);
        boolean interrupted = cause instanceof InterruptedException;
        if (!interrupted) { // that is the affair of its thread, not the origin's: the others try for themselves
            flight.landForAll(outcome);
        }
        events.load(LoadOutcome.FAILED, run.nanos());
        if (lease != null && interrupted) {
            ask(storeKey, lease, () -> store.abandon(storeKey, lease.token()));
        } else if (lease != null) {
            fail(storeKey, lease, FailureText.of(cause));
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return outcome;
    }

    private void fail(String storeKey, Lease lease, FailureText failure) {
        FailedLoad failed = coolDown.after(failure, lease.failuresBefore() + 1);
        ask(
                storeKey,
                lease,
                () -> failed == null
                        ? store.abandon(storeKey, lease.token())
                        : store.fail(storeKey, lease.token(), failed));
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code
    private EntryWriter.@Nullable Written encode(Lease lease, LoadRun<V> run) {
        try {
            return writer.write(lease.token(), run.value(), run.nanos());
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return null;
        }
    }

    /** Asks the store, whether or not the thread is interrupted; {@code null} if it does not answer. */
    private @Nullable Boolean ask(String storeKey, Lease lease, BooleanSupplier question) {
        boolean interrupted = Thread.interrupted();
        try {
            return question.getAsBoolean();
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            giveBack(storeKey, lease.token());
            return null;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
