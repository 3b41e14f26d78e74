package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.command.KeyedCommand.PlainRead;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseEnd;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/**
 * The request for the lease of one key, with the answers of {@code lease.lua}. While the recent ones were granted, plain commands in
 * one round trip, which are cheaper than the script, come before it, in this order:
 * <ol>
 *   <li>{@code SET lease … NX PX}: if there is anything in place of the lease, nothing is changed, and {@code lease.lua} answers,
 *       as it does if the server refuses the command.
 *   <li>Read the entry. If there is none, the lease is <em>granted</em>: others need it to publish, so no load can bring one
 *       before it ends. An invalidation between the two commands ends it as one after them would. In the other order, an entry
 *       could be published in between, and would be loaded again.
 *   <li>If there is one, it is <em>found</em>, and the lease is given back. Others may have been told meanwhile that it is held,
 *       and are notified. If that fails, it ends by itself.
 *   <li>Read the server's clock, by which a load timestamps what it stores: it may have been set.
 * </ol>
 *
 * <p>The script alone is used for a key whose entry the caller has seen, since that entry is not to be found, unless the caller's
 * clock is ahead; after a change was refused, since a user may have the right to {@code SET} and none to run scripts; and on a
 * cluster, which may execute one of the two commands later than the other, on another master. If the
 * commands are repeated after their answers were lost, the lease is there already, and {@code lease.lua} grants it to its token.
 * <em>Thread-safe.</em>
 */
public final class SingleLease {
    private static final int ENOUGH = 8;

    private final Commands commands;
    private final RedisKeys keys;
    private final LeaseScripts calls;
    private final StoreClock clock;

    /** Leases granted in a row, up to a limit. Not exact, as an update may be lost: it decides only about the cost. */
    private int granted;

    public SingleLease(Commands commands, RedisKeys keys, LeaseScripts calls, StoreClock clock) {
        this.commands = commands;
        this.keys = keys;
        this.calls = calls;
        this.clock = clock;
    }

    public LeaseAttempt request(LeaseRequest request, Duration ttl, Turn turn) {
        boolean isPlain =
                granted >= ENOUGH && request.seen() == null && commands.cluster() == null && !commands.refusesChanges();
        LeaseAttempt attempt = isPlain ? plainlyUnlessRefused(request, ttl, turn) : null;
        if (attempt == null) {
            // Masters of a cluster have clocks of their own.
            long nowMillis = request.seen() == null || commands.cluster() != null ? 0 : clock.currentTimeMillis();
            attempt = byScript(calls.lease(request, ttl, true, nowMillis), request, turn);
        }
        if (!(attempt instanceof LeaseAttempt.Granted)) {
            granted = 0;
        } else if (granted < ENOUGH) {
            granted++;
        }
        return attempt;
    }

    private LeaseAttempt byScript(Script.Call call, LeaseRequest request, Turn turn) {
        LeaseScripts.Answer answer =
                commands.change(turn, "acquire the lease of", request.key(), call, LeaseScripts.Answer::of);
        answer.teach(clock, turn);
        return answer.attempt();
    }

    /** A refusal is an answer: a full server refuses the {@code SET}, and still tells by the script what is in its place. */
    private @Nullable LeaseAttempt plainlyUnlessRefused(LeaseRequest request, Duration ttl, Turn turn) {
        try {
            return plainly(request, ttl, turn);
        } catch (StoreException failure) {
            if (RedisFailure.isRefusal(failure)) {
                return null;
            }
            throw failure;
        }
    }

    /** Returns {@code null} if there is something in place of the lease. */
    private @Nullable LeaseAttempt plainly(LeaseRequest request, Duration ttl, Turn turn) {
        String key = request.key();
        CommandArguments take = new CommandArguments(Protocol.Command.SET)
                .key(keys.lease(key))
                .add(LeaseScripts.leaseOf(request.token(), ttl))
                .add(Protocol.Keyword.NX)
                .add(Protocol.Keyword.PX)
                .add(ttl.toMillis());
        CommandArguments read = PlainRead.entry(keys.value(key)).toSend();
        CommandArguments now = new CommandArguments(Protocol.Command.TIME);
        LeaseAttempt attempt = commands.sendInOrder(
                turn, "acquire the lease of", key, List.of(take, read, now), answers -> attemptIn(answers, turn));
        if (attempt instanceof LeaseAttempt.Found) {
            giveBack(new HeldLease(key, request.token()));
        }
        return attempt;
    }

    private @Nullable LeaseAttempt attemptIn(List<@Nullable Object> answers, Turn turn) {
        clock.learn(StoreClock.nanosIn((List<?>) requireNonNull(answers.get(2))), turn.sentNanos());
        if (answers.get(0) == null) {
            return null;
        }
        byte[] entry = PlainRead.entryIn(requireNonNull(answers.get(1)));
        return entry == null || entry.length < LeaseToken.BYTES
                ? new LeaseAttempt.Granted(0)
                : new LeaseAttempt.Found(entry);
    }

    private void giveBack(HeldLease lease) {
        try {
            commands.change(
                    commands.turnOfLeaseHolder(),
                    "release the lease of",
                    lease.key(),
                    calls.end(lease, new LeaseEnd.Abandon()),
                    LeaseScripts::isDone);
        } catch (StoreException unanswered) {
            // it ends by itself, and until then only reloads of the entry wait for it
        }
    }
}
