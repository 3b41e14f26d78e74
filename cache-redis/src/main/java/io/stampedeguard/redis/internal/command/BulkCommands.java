package io.stampedeguard.redis.internal.command;

import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.NewEntry;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
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

    public Map<String, byte @Nullable []> readAll(Turn turn, Collection<String> all) {
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
    public Map<String, LeaseAttempt> leaseAll(Turn turn, Collection<LeaseRequest> requests, Duration ttl) {
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

    public Map<String, Boolean> publishAll(Collection<NewEntry> entries) {
        return change(
                "publish",
                entries,
                each -> each.lease().key(),
                each -> calls.publish(each.lease(), each.entry(), each.ttl()),
                LeaseScripts::isDone);
    }

    public Map<String, Boolean> giveBackAll(Collection<HeldLease> leases, Function<HeldLease, Script.Call> call) {
        return change("release the leases of", leases, HeldLease::key, call, LeaseScripts::isDone);
    }

    private <Q, A> Map<String, A> change(
            String notDone,
            Collection<Q> requests,
            Function<Q, String> keyOf,
            Function<Q, Script.Call> callOf,
            Function<Object, A> meaning) {
        if (requests.isEmpty()) {
            return Map.of();
        }
        Map<String, Script.Call> each = new LinkedHashMap<>(requests.size() * 2);
        requests.forEach(request -> each.put(keyOf.apply(request), callOf.apply(request)));
        return commands.changeMany(
                commands.turnOfLeaseHolder(), notDone + " " + requests.size() + " keys", each, meaning, Needed.ANY);
    }
}
