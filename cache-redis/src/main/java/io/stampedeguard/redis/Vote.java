package io.stampedeguard.redis;

import io.stampedeguard.store.LeaseAttempt;
import java.time.Duration;
import java.util.Comparator;

/**
 * What independent servers said to one who asked them for the lock of a key. <em>Immutable.</em>
 *
 * @param answers each granted or held
 */
record Vote(Answers<LeaseAttempt> answers) {
    boolean isCarried() {
        return granted() >= answers.quorum();
    }

    /** Whether it cannot be told if anybody holds the lock: too few have answered, and none of them knew of a holder. */
    boolean isOpen() {
        return answers.areTooFew() && granted() == answers.given().size();
    }

    /** Tells who holds a lock for longest; if nobody is known to, whoever asked may ask again. */
    LeaseAttempt.Held refusal(Duration ttl) {
        return answers.given().stream()
                .filter(LeaseAttempt.Held.class::isInstance)
                .map(LeaseAttempt.Held.class::cast)
                .max(Comparator.comparing(LeaseAttempt.Held::remaining))
                .orElse(new LeaseAttempt.Held(null, ttl));
    }

    private long granted() {
        return answers.given().stream()
                .filter(LeaseAttempt.Granted.class::isInstance)
                .count();
    }
}
