package io.stampedeguard.internal.peer;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.Notices;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One leader's wait for the loads of others, of many keys at once. It watches one of them, the last: who loads them together
 * publishes them in their order. <em>Not thread-safe.</em>
 */
public final class BulkWait {
    private final CacheContext context;
    private final @Nullable Notices notices;
    /** Keys of which it was noted already that a caller waits for them. */
    private final Set<String> counted = new HashSet<>();

    private @Nullable PeerWait current;
    private @Nullable String watched;

    /**
     * Makes one that does not wait yet.
     *
     * @param notices the store's ability to wake those who wait, if it has it and the policy wants it
     */
    public BulkWait(CacheContext context, @Nullable Notices notices) {
        this.context = context;
        this.notices = notices;
    }

    /**
     * What was heard of a key.
     *
     * @param storeKey the key
     * @param notice what the holder of its lease did, if that was heard
     */
    public record Heard(String storeKey, Notices.@Nullable Notice notice) {}

    /** To be called before each question: what was heard so far is older than its answer. */
    public void beforeAsking() {
        if (current != null) {
            current.beforeAsking();
        }
    }

    /**
     * Waits until there is a reason to ask again.
     *
     * @param held who holds the leases, at least one, in the order of the keys
     * @throws WaitTimeoutException if the deadline is over
     */
    public Heard untilNextQuestion(Map<String, LeaseAttempt.Held> held, Deadline deadline) throws InterruptedException {
        held.keySet().stream().filter(counted::add).forEach(context.hotKeys()::waits);
        LeaseAttempt.Held of = watched == null ? null : held.get(watched);
        if (of == null) {
            over(WaitOutcome.ANSWERED);
        }
        PeerWait waiting = current;
        String storeKey = watched;
        if (waiting == null || storeKey == null || of == null) {
            storeKey = lastOf(held);
            of = requireNonNull(held.get(storeKey));
            waiting = new PeerWait(storeKey, context, notices, PeerWait.Counting.ELSEWHERE);
            current = waiting;
            watched = storeKey;
        }
        LeaseAttempt.Held soonest = new LeaseAttempt.Held(of.holder(), shortest(held));
        return new Heard(storeKey, waiting.untilNextQuestion(soonest, deadline));
    }

    /** Ends the wait and tells the listener how, if there was one and it is not over. */
    public void over(WaitOutcome outcome) {
        PeerWait waited = current;
        current = null;
        watched = null;
        if (waited != null) {
            waited.close();
            waited.over(outcome);
        }
    }

    private static String lastOf(Map<String, LeaseAttempt.Held> held) {
        String last = "";
        for (String storeKey : held.keySet()) {
            last = storeKey;
        }
        return last;
    }

    private static Duration shortest(Map<String, LeaseAttempt.Held> held) {
        return held.values().stream()
                .map(LeaseAttempt.Held::remaining)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }
}
