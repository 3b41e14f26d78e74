package io.stampedeguard.redis.internal.command;

import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseEnd;
import io.stampedeguard.store.LeaseRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The commands of a {@code RedisStore} for many keys at once: one round trip, to a cluster as well. <em>Thread-safe.</em> */
public final class BulkCommands {
    private static final int RENEWALS_IN_A_LIFE = 5;
    private static final LeaseScripts.Answer RETRY_SOON =
            new LeaseScripts.Answer(new LeaseAttempt.Held(null, Duration.ZERO), null, false);

    private final Commands commands;
    private final RedisKeys keys;
    private final LeaseScripts calls;
    private final StoreClock clock;

    public BulkCommands(Commands commands, RedisKeys keys, LeaseScripts calls, StoreClock clock) {
        this.commands = commands;
        this.keys = keys;
        this.calls = calls;
        this.clock = clock;
    }

    public Map<String, byte @Nullable []> read(Turn turn, Collection<String> all) {
        if (all.isEmpty()) {
            return Map.of();
        }
        byte[][] redisKeys = new byte[all.size()][];
        int at = 0;
        for (String key : all) {
            redisKeys[at++] = keys.value(key);
        }
        return commands.readMany(turn, all, redisKeys);
    }

    /**
     * If a master of a cluster was not asked because no connection was free, its keys count as held for a moment: a missing
     * answer would mean that the master does not answer.
     */
    public Map<String, LeaseAttempt> lease(Turn turn, Collection<LeaseRequest> requests, Duration ttl) {
        if (requests.isEmpty()) {
            return Map.of();
        }
        Map<String, Script.Call> each = new LinkedHashMap<>(requests.size() * 2);
        boolean isTimed = true;
        boolean hasSeen = requests.stream().anyMatch(request -> request.seen() != null);
        long nowMillis = hasSeen && commands.cluster() == null ? clock.currentTimeMillis() : 0;
        for (LeaseRequest request : requests) {
            each.put(request.key(), calls.lease(request, ttl, isTimed, nowMillis));
            isTimed = false; // one answer is enough
        }
        Map<String, LeaseScripts.Answer> answers = commands.changeMany(
                turn,
                "acquire the leases of " + requests.size() + " keys",
                each,
                LeaseScripts.Answer::of,
                Needed.ANY,
                failure -> RedisFailure.isShortage(failure) ? RETRY_SOON : null);
        answers.values().stream()
                .filter(LeaseScripts.Answer::isTimed)
                .max(Comparator.comparing(LeaseScripts.Answer::isEarly))
                .ifPresent(answer -> answer.teach(clock, turn));
        Map<String, LeaseAttempt> attempts = new HashMap<>(answers.size() * 2);
        answers.forEach((key, answer) -> attempts.put(key, answer.attempt()));
        return attempts;
    }

    /**
     * Requires an answer for each lease, since one in an unknown state does not count as kept; and soon, so that there is time
     * for a retry before the leases expire. Sent to a single server even while its circuit breaker is open: a caller's load need
     * not be in vain.
     */
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        if (leases.isEmpty()) {
            return Set.of();
        }
        Map<HeldLease, Script.Call> each = new LinkedHashMap<>(leases.size() * 2);
        leases.forEach(lease -> each.put(lease, calls.renew(lease, ttl)));
        Map<HeldLease, Boolean> kept = commands.changeManySoon(
                commands.turnOfLeaseHolder().regardless(),
                ttl.dividedBy(RENEWALS_IN_A_LIFE),
                "renew " + leases.size() + " leases",
                each,
                LeaseScripts::isDone);
        kept.values().removeIf(Boolean::booleanValue);
        return kept.keySet();
    }

    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        if (ends.size() == 1) {
            Map.Entry<HeldLease, ? extends LeaseEnd> only =
                    ends.entrySet().iterator().next();
            return Map.of(only.getKey(), end(only.getKey(), only.getValue()));
        }
        Map<HeldLease, Script.Call> each = new LinkedHashMap<>(ends.size() * 2);
        ends.forEach((lease, end) -> each.put(lease, calls.end(lease, end)));
        boolean isPublication = ends.values().stream().allMatch(LeaseEnd.Publish.class::isInstance);
        return endAll(isPublication ? "publish" : "end the leases of", each);
    }

    private boolean end(HeldLease lease, LeaseEnd end) {
        return commands.change(
                commands.turnOfLeaseHolder(), notDone(end), lease.key(), calls.end(lease, end), LeaseScripts::isDone);
    }

    private static String notDone(LeaseEnd end) {
        if (end instanceof LeaseEnd.Publish) {
            return "publish";
        }
        return end instanceof LeaseEnd.Extend ? "extend" : "release the lease of";
    }

    /** Gives leases back, and notifies nobody. */
    public void withdraw(Collection<HeldLease> leases) {
        Map<HeldLease, Script.Call> each = new LinkedHashMap<>(leases.size() * 2);
        leases.forEach(lease -> each.put(lease, calls.withdraw(lease)));
        endAll("release the leases of", each);
    }

    private Map<HeldLease, Boolean> endAll(String notDone, Map<HeldLease, Script.Call> each) {
        return each.isEmpty()
                ? Map.of()
                : commands.changeMany(
                        commands.turnOfLeaseHolder(),
                        notDone + " " + each.size() + " keys",
                        each,
                        LeaseScripts::isDone,
                        Needed.ANY);
    }
}
