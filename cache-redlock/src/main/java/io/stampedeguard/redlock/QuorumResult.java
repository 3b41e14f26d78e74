package io.stampedeguard.redlock;

import static java.util.Objects.requireNonNullElse;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.spi.LeaseAttempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The answers of independent servers that came in time, and the causes of missing ones; for a request of a lock, also the
 * decision that follows from them. <em>Immutable</em> once it is created.
 */
record QuorumResult<T>(List<T> given, List<Throwable> missing) {
    static <T> QuorumResult<T> of(List<CompletableFuture<T>> over) {
        List<T> given = new ArrayList<>();
        List<Throwable> missing = new ArrayList<>();
        for (CompletableFuture<T> answer : over) {
            try {
                given.add(answer.join());
            } catch (CompletionException failed) {
                missing.add(requireNonNullElse(failed.getCause(), failed));
            }
        }
        return new QuorumResult<>(given, missing);
    }

    /** Returns the answers about one of many keys. An answer without the key is missing. */
    static <A> QuorumResult<A> about(String key, QuorumResult<Map<String, A>> all) {
        List<A> given = new ArrayList<>();
        List<Throwable> missing = new ArrayList<>(all.missing());
        for (Map<String, A> answer : all.given()) {
            A ofKey = answer.get(key);
            if (ofKey == null) {
                missing.add(new NoSuchElementException("no answer about " + KeyEncoder.shown(key)));
            } else {
                given.add(ofKey);
            }
        }
        return new QuorumResult<>(given, missing);
    }

    int asked() {
        return given.size() + missing.size();
    }

    /** Returns how many of the servers make a quorum: two quorums always have a server in common. */
    int quorum() {
        return asked() / 2 + 1;
    }

    boolean areTooFew() {
        return given.size() < quorum();
    }

    /** Returns whether the caller may act as the holder of the lock: a majority has granted it, or nobody can know. */
    boolean isFor() {
        return isCarried() || isOpen();
    }

    boolean isCarried() {
        return granted() >= quorum();
    }

    /** Returns whether the holder is unknown: too few servers have answered, and none of them knew a holder. */
    private boolean isOpen() {
        return areTooFew() && granted() == given.size();
    }

    private long granted() {
        return given.stream().filter(LeaseAttempt.Granted.class::isInstance).count();
    }

    /**
     * Returns for how long somebody holds the lock; without a known holder, the caller may ask again. Does not name the holder:
     * a named holder would count as the holder of the store's lease, whose notifications are trusted (decision 0009).
     */
    LeaseAttempt.Held refusal(Duration ttl) {
        Duration longestHeld = given.stream()
                .filter(LeaseAttempt.Held.class::isInstance)
                .map(answer -> ((LeaseAttempt.Held) answer).remaining())
                .max(Comparator.naturalOrder())
                .orElse(ttl);
        return new LeaseAttempt.Held(null, longestHeld);
    }
}
