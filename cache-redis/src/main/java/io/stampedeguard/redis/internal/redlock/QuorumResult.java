package io.stampedeguard.redis.internal.redlock;

import io.stampedeguard.store.LeaseAttempt;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;

/**
 * What independent servers said to one who asked them for the lock of a key. <em>Immutable.</em>
 *
 * @param answers each granted or held
 */
public record QuorumResult(Answers<LeaseAttempt> answers) {
    /** Whether the lock may be believed to be had: a majority has granted it, or nobody can tell. */
    public boolean isFor() {
        return isCarried() || isOpen();
    }

    public boolean isCarried() {
        return granted() >= answers.quorum();
    }

    /** Whether it cannot be told if anybody holds the lock: too few have answered, and none of them knew of a holder. */
    private boolean isOpen() {
        return answers.areTooFew() && granted() == answers.given().size();
    }

    /**
     * Returns for how long somebody holds a lock; if nobody is known to, the caller may ask again. Not by whom: a holder
     * that is named is believed to have the lease of the store still, and so what it has told (decision 0009).
     */
    public LeaseAttempt.Held refusal(Duration ttl) {
        return new LeaseAttempt.Held(null, longestHeld().orElse(ttl));
    }

    private Optional<Duration> longestHeld() {
        return answers.given().stream()
                .filter(LeaseAttempt.Held.class::isInstance)
                .map(answer -> ((LeaseAttempt.Held) answer).remaining())
                .max(Comparator.naturalOrder());
    }

    private long granted() {
        return answers.given().stream()
                .filter(LeaseAttempt.Granted.class::isInstance)
                .count();
    }
}
