package io.stampedeguard;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for leases. Where it does not answer, the leader loads without a lease, unless it was cut off: what may have
 * been granted is then given back. <em>Thread-safe.</em>
 */
final class LeaseQuestions<K, V> {
    private static final Answer WITHOUT_STORE = new Answer(null, null);

    private final SharedStore store;
    private final Duration leaseTtl;
    private final LeaseEnds leases;
    private final TimeSource time;
    private final CacheEvents events;

    LeaseQuestions(CacheParts<K, V> parts, LeaseEnds leases) {
        this.store = parts.store();
        this.leaseTtl = parts.policy().leaseTtl();
        this.leases = leases;
        this.time = parts.time();
        this.events = parts.events();
    }

    /**
     * What becomes of one who asks.
     *
     * @param lease to load under; {@code null} if the store did not answer before, and was not asked again
     * @param instead what the store says instead; {@code null} if it is to be loaded
     */
    record Answer(@Nullable Lease lease, @Nullable LeaseAttempt instead) {}

    /**
     * Asks for one lease.
     *
     * @throws WaitInterruptedException if this thread was interrupted meanwhile, and the store did not answer
     */
    Answer ask(Led<K, V> led) {
        if (!led.look().storeAnswers()) {
            return WITHOUT_STORE;
        }
        LeaseToken token = LeaseToken.next();
        long asked = time.monotonicNanos();
        LeaseAttempt attempt = null;
        try {
            attempt = store.lease(led.storeKey(), token, led.seen(), leaseTtl);
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            if (Thread.currentThread().isInterrupted()) {
                events.lease(LeaseOutcome.UNAVAILABLE);
                leases.giveBack(List.of(new HeldLease(led.storeKey(), token)));
                throw WaitInterruptedException.restoringFlag(led.storeKey(), e);
            }
        }
        return answer(token, attempt, asked);
    }

    /**
     * Asks for many leases, in one call of the store.
     *
     * @return the answer of each, by the names of the keys
     * @throws WaitInterruptedException if this thread was interrupted meanwhile, and the store did not answer for all keys
     */
    Map<String, Answer> askAll(Collection<Led<K, V>> led) {
        Map<String, Answer> answers = new HashMap<>();
        Map<String, LeaseRequest> requests = new LinkedHashMap<>();
        for (Led<K, V> each : led) {
            String storeKey = each.storeKey();
            if (each.look().storeAnswers()) {
                requests.put(storeKey, new LeaseRequest(storeKey, LeaseToken.next(), each.seen()));
            } else {
                answers.put(storeKey, WITHOUT_STORE);
            }
        }
        if (!requests.isEmpty()) {
            long asked = time.monotonicNanos();
            Map<String, LeaseAttempt> attempts = attempts(requests.values());
            checkNotCutOff(requests, attempts);
            requests.forEach((storeKey, request) ->
                    answers.put(storeKey, answer(request.token(), attempts.get(storeKey), asked)));
        }
        return answers;
    }

    private Map<String, LeaseAttempt> attempts(Collection<LeaseRequest> requests) {
        try {
            Map<String, LeaseAttempt> attempts = store.leaseAll(requests, leaseTtl);
            if (attempts.size() < requests.size()) {
                events.unanswered(requests.size() - attempts.size(), requests.size());
            }
            return attempts;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return Map.of();
        }
    }

    private void checkNotCutOff(Map<String, LeaseRequest> requests, Map<String, LeaseAttempt> attempts) {
        if (attempts.size() < requests.size() && Thread.currentThread().isInterrupted()) {
            requests.forEach((storeKey, request) -> events.lease(outcomeOf(attempts.get(storeKey))));
            leases.giveBack(requests.values().stream()
                    .map(request -> new HeldLease(request.key(), request.token()))
                    .toList());
            throw WaitInterruptedException.restoringFlag(
                    requests.keySet().iterator().next(), new InterruptedException("while the store was asked"));
        }
    }

    private Answer answer(LeaseToken token, @Nullable LeaseAttempt attempt, long asked) {
        events.lease(outcomeOf(attempt));
        if (attempt == null) {
            return new Answer(new Lease(token, 0, asked, false), null);
        }
        return attempt instanceof LeaseAttempt.Granted granted
                ? new Answer(new Lease(token, granted.failuresBefore(), asked, true), null)
                : new Answer(null, attempt);
    }

    private static LeaseOutcome outcomeOf(@Nullable LeaseAttempt attempt) {
        if (attempt == null) {
            return LeaseOutcome.UNAVAILABLE;
        }
        if (attempt instanceof LeaseAttempt.Granted) {
            return LeaseOutcome.GRANTED;
        }
        if (attempt instanceof LeaseAttempt.Found) {
            return LeaseOutcome.FOUND;
        }
        return attempt instanceof LeaseAttempt.Held ? LeaseOutcome.HELD : LeaseOutcome.COOLING;
    }
}
