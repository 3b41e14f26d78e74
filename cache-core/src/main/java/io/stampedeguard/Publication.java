package io.stampedeguard;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.entry.EntryCodec;
import io.stampedeguard.entry.FailureText;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a load that is over:
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
 * <p>A lease that may still be held when the store fails to answer is given back by an errand. <em>Thread-safe.</em>
 */
final class Publication<K, V> {
    private final SharedStore store;
    private final EntryWriter<V> writer;
    private final NearSide<K, V> near;
    private final boolean keepsNegatives;
    private final CoolDown coolDown;
    private final CacheEvents events;
    private final Errands errands;

    Publication(CacheParts<K, V> parts, Errands errands) {
        this.store = parts.store();
        this.writer = parts.writer();
        this.near = parts.near();
        this.keepsNegatives = !parts.policy().negativeTtl().isZero();
        this.coolDown = new CoolDown(parts.policy());
        this.events = parts.events();
        this.errands = errands;
    }

    Outcome<V> settle(Target<K, V> target, LoadRun<Loaded<V>> run) {
        target.flight().leave();
        Loaded<V> loaded = run.result();
        return run.failure() != null || loaded == null
                ? settleFailure(target, run, requireNonNull(run.failure()))
                : settleValue(target, loaded, run.nanos());
    }

    /** Settles loads that were cut off at the {@code loadTimeout}, whose flights have landed. Does not block. */
    void timedOut(List<Target<K, V>> targets, Duration loadTimeout) {
        errands.run(() -> {
            events.load(LoadOutcome.TIMED_OUT, loadTimeout.toNanos());
            for (Target<K, V> target : targets) {
                if (target.lease() != null) {
                    fail(target.storeKey(), target.lease(), Outcome.TimedOut.text(target.storeKey(), loadTimeout));
                }
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

    private Outcome<V> settleValue(Target<K, V> target, Loaded<V> loaded, long nanos) {
        Stored<V> before = target.look().stored();
        V value = loaded.isNotModified() && before != null ? before.value() : loaded.value();
        Outcome<V> outcome = new Outcome.Value<>(value);
        Lease lease = target.lease();
        EntryWriter.Written entry = written(target, loaded, nanos);
        if (lease == null || !lease.certain()) {
            settleUnleased(target, outcome, value, entry);
            events.load(LoadOutcome.UNSTORED, nanos);
            return outcome;
        }
        Boolean heldToTheEnd = ask(target.storeKey(), lease, () -> publish(target, lease.token(), loaded, entry));
        if (Boolean.TRUE.equals(heldToTheEnd)) {
            keepNear(target, value, entry);
            target.flight().landForAll(outcome);
        } else {
            target.flight().landForEarly(outcome);
        }
        events.load(outcomeOf(entry, heldToTheEnd), nanos);
        return outcome;
    }

    private void settleUnleased(
            Target<K, V> target, Outcome<V> outcome, @Nullable V value, EntryWriter.@Nullable Written entry) {
        if (entry != null) {
            near.keepUnstored(target.look(), value, entry.entry());
        }
        target.flight().landUnleased(outcome);
        if (target.lease() != null) {
            giveBack(target.storeKey(), target.lease().token());
        }
    }

    private void keepNear(Target<K, V> target, @Nullable V value, EntryWriter.@Nullable Written entry) {
        if (entry != null) {
            near.keep(target.look(), value, entry.entry());
        }
    }

    private boolean publish(
            Target<K, V> target, LeaseToken token, Loaded<V> loaded, EntryWriter.@Nullable Written entry) {
        String storeKey = target.storeKey();
        if (entry == null) {
            return store.abandon(storeKey, token);
        }
        LeaseToken seen = target.look().seen();
        return loaded.isNotModified() && seen != null
                ? store.extend(storeKey, token, seen, EntryCodec.headOf(entry.bytes()), entry.ttl())
                : store.publish(storeKey, token, entry.bytes(), entry.ttl());
    }

    /** Makes the entry; {@code null} if it is not to be stored, or cannot be. */
    @SuppressWarnings("CatchingUnchecked") // foreign code
    private EntryWriter.@Nullable Written written(Target<K, V> target, Loaded<V> loaded, long nanos) {
        Stored<V> before = target.look().stored();
        if (!loaded.isCached() || (!keepsNegatives && loaded.value() == null && !loaded.isNotModified())) {
            return null;
        }
        LeaseToken token =
                target.lease() == null ? LeaseToken.next() : target.lease().token();
        try {
            return loaded.isNotModified() && before != null
                    ? writer.extend(token, loaded, nanos, before.entry())
                    : writer.write(token, loaded, nanos);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return null;
        }
    }

    private static LoadOutcome outcomeOf(EntryWriter.@Nullable Written entry, @Nullable Boolean heldToTheEnd) {
        if (entry == null || heldToTheEnd == null) {
            return LoadOutcome.UNSTORED;
        }
        return heldToTheEnd ? LoadOutcome.STORED : LoadOutcome.REFUSED;
    }

    private Outcome<V> settleFailure(Target<K, V> target, LoadRun<?> run, Throwable cause) {
        Outcome<V> outcome = new Outcome.Failure<>(cause);
        boolean interrupted = cause instanceof InterruptedException;
        if (!interrupted) { // that is the affair of its thread, not the origin's: the others try for themselves
            target.flight().landForAll(outcome);
        }
        events.load(LoadOutcome.FAILED, run.nanos());
        Lease lease = target.lease();
        if (lease != null && interrupted) {
            ask(target.storeKey(), lease, () -> store.abandon(target.storeKey(), lease.token()));
        } else if (lease != null) {
            fail(target.storeKey(), lease, FailureText.of(cause));
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
