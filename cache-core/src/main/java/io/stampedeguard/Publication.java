package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.flight.Flight;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a load that is over:
 *
 * <ol>
 *   <li>the flight leaves the map, so that nobody who comes after the value is published joins the load that made it;
 *   <li>a value is published, if the lease is still held; then it holds for everybody on board. If it is not, the key was
 *       invalidated or somebody else has taken over: the value holds only for those who came before the load began;
 *   <li>a failure is handed to everybody on board, and the lease given back.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class Publication<V> {
    private final SharedStore store;
    private final EntryWriter<V> writer;
    private final boolean keepsNegatives;
    private final CacheEvents events;

    Publication(CacheParts<?, V> parts) {
        this.store = parts.store();
        this.writer = parts.writer();
        this.keepsNegatives = !parts.policy().negativeTtl().isZero();
        this.events = parts.events();
    }

    Outcome<V> settle(String storeKey, LoadRun<V> run, Flight<Outcome<V>> flight) {
        flight.leave();
        return run.failure() == null
                ? settleValue(storeKey, run, flight)
                : settleFailure(storeKey, run, run.failure(), flight);
    }

    /** Gives a lease back with nothing published. */
    void abandon(String storeKey, LeaseToken lease) {
        ask(() -> store.abandon(storeKey, lease));
    }

    private Outcome<V> settleValue(String storeKey, LoadRun<V> run, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = new Outcome.Value<>(run.value());
        LeaseToken lease = run.lease();
        if (lease == null) {
            flight.landForAll(outcome);
            events.load(LoadOutcome.UNSTORED, run.nanos());
            return outcome;
        }
        EntryWriter.Written entry = run.value() == null && !keepsNegatives ? null : encode(lease, run);
        Boolean heldToTheEnd = entry == null
                ? ask(() -> store.abandon(storeKey, lease))
                : ask(() -> store.publish(storeKey, lease, entry.bytes(), entry.ttl()));
        if (Boolean.TRUE.equals(heldToTheEnd)) {
            flight.landForAll(outcome);
        } else {
            flight.landForEarly(outcome);
        }
        events.load(outcomeOf(entry, heldToTheEnd), run.nanos());
        return outcome;
    }

    private static LoadOutcome outcomeOf(EntryWriter.@Nullable Written entry, @Nullable Boolean heldToTheEnd) {
        if (entry == null || heldToTheEnd == null) {
            return LoadOutcome.UNSTORED;
        }
        return heldToTheEnd ? LoadOutcome.STORED : LoadOutcome.REFUSED;
    }

    private Outcome<V> settleFailure(String storeKey, LoadRun<V> run, Throwable cause, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = new Outcome.Failure<>(cause);
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt(); // the leader's affair, not the origin's: the others try for themselves
        } else {
            flight.landForAll(outcome);
        }
        events.load(LoadOutcome.FAILED, run.nanos());
        if (run.lease() != null) {
            abandon(storeKey, run.lease());
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return outcome;
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code
    private EntryWriter.@Nullable Written encode(LeaseToken lease, LoadRun<V> run) {
        try {
            return writer.write(lease, run.value(), run.nanos());
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return null;
        }
    }

    /** Asks the store, whether or not the thread is interrupted; {@code null} if it does not answer. */
    private @Nullable Boolean ask(BooleanSupplier question) {
        boolean interrupted = Thread.interrupted();
        try {
            return question.getAsBoolean();
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return null;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
