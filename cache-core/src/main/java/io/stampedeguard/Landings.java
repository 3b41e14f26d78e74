package io.stampedeguard;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/** Makes entries of what was loaded, and lands flights by what the store says to these. <em>Thread-safe.</em> */
final class Landings<K, V> {
    private final EntryWriter<V> writer;
    private final NearSide<K, V> near;
    private final KeyAdmission<K> admission;
    private final boolean keepsNegatives;
    private final CacheEvents events;

    Landings(CacheParts<K, V> parts) {
        this.writer = parts.writer();
        this.near = parts.near();
        this.admission = parts.admission();
        this.keepsNegatives = !parts.policy().negativeTtl().isZero();
        this.events = parts.events();
    }

    /**
     * What was loaded for a key.
     *
     * @param outcome what those get who may be answered with it
     * @param entry what is to be stored; {@code null} for nothing
     * @param nanos how long the load took
     */
    record Ready<K, V>(
            Target<K, V> target,
            Loaded<V> loaded,
            Outcome.Value<V> outcome,
            EntryWriter.@Nullable Written entry,
            long nanos) {}

    Ready<K, V> prepare(Target<K, V> target, Loaded<V> loaded, long nanos) {
        Stored<V> before = target.look().stored();
        V value = loaded.isNotModified() && before != null ? before.value() : loaded.value();
        return new Ready<>(
                target, loaded, new Outcome.Value<>(value, AnswerSource.LOADED), written(target, loaded, nanos), nanos);
    }

    /**
     * Lands the flight of what was loaded under a lease.
     *
     * @param heldToTheEnd what the store says of the lease; {@code null} if it does not answer
     */
    void land(Ready<K, V> ready, @Nullable Boolean heldToTheEnd) {
        EntryWriter.Written entry = ready.entry;
        if (Boolean.TRUE.equals(heldToTheEnd)) {
            if (entry != null) {
                near.keep(ready.target.look(), ready.outcome.value(), entry.entry());
            }
            ready.target.flight().landForAll(ready.outcome);
        } else {
            ready.target.flight().landForEarly(ready.outcome);
        }
        LoadOutcome outcome = outcomeOf(entry, heldToTheEnd);
        if (outcome == LoadOutcome.STORED && entry != null && !ready.loaded.isNotModified()) {
            events.stored(entry.entry().payload().remaining());
        }
        over(ready, outcome);
    }

    /** Lands the flight of what was loaded without a lease. */
    void landUnleased(Ready<K, V> ready) {
        EntryWriter.Written entry = ready.entry;
        if (entry != null) {
            near.keepUnstored(ready.target.look(), ready.outcome.value(), entry.entry());
        }
        ready.target.flight().landUnleased(ready.outcome);
        over(ready, LoadOutcome.UNSTORED);
    }

    private void over(Ready<K, V> ready, LoadOutcome outcome) {
        events.load(outcome, ready.nanos);
        if (ready.outcome.value() == null) {
            events.absent();
        }
        if (ready.loaded.value() != null) {
            admission.found(ready.target.look().key());
        }
    }

    /** Makes the entry; {@code null} if it is not to be stored, or cannot be. What it was to replace is to go, then. */
    @SuppressWarnings("CatchingUnchecked") // foreign code
    private EntryWriter.@Nullable Written written(Target<K, V> target, Loaded<V> loaded, long nanos) {
        Stored<V> before = target.look().stored();
        LeaseToken token =
                target.lease() == null ? LeaseToken.next() : target.lease().token();
        if (!loaded.isCached() || (!keepsNegatives && loaded.value() == null && !loaded.isNotModified())) {
            return before == null ? null : writer.tombstone(token);
        }
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
        if (entry == null || entry.isTombstone() || heldToTheEnd == null) {
            return LoadOutcome.UNSTORED;
        }
        return heldToTheEnd ? LoadOutcome.STORED : LoadOutcome.REFUSED;
    }
}
