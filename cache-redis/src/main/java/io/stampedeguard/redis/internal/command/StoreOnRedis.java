package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.EntryReads.Generation;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/**
 * What a cache needs of a store on Redis: which commands are sent for one key, and which for many, in one round trip, to a cluster
 * as well.
 *
 * <p>The lease of one key is requested by {@code lease.lua}. While the recent ones were granted, plain commands in one round trip,
 * which are cheaper than the script, come before it, in this order:
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
 * cluster, which may execute one of the two commands later than the other, on another master. The
 * commands are not sent again if their answers are lost ({@link Turn#once}). Those of concurrent callers are combined, and so are
 * their ends of leases ({@link CommandSender.Changes}). <em>Thread-safe.</em>
 */
public final class StoreOnRedis implements SharedStore, FleetMembers {
    private static final int RENEWALS_IN_A_LIFE = 5;

    /** So many leases granted in a row are followed by plain commands. */
    private static final int ENOUGH = 8;

    /** The same for all callers, so that a batch of requests contains it once. */
    private static final KeyedCommand NOW = PlainCommand.inOrder(new CommandArguments(Protocol.Command.TIME));

    private static final LeaseScripts.Answer RETRY_SOON =
            new LeaseScripts.Answer(new LeaseAttempt.Held(null, Duration.ZERO), null, false, null);

    private final Commands commands;
    private final Generations generations;
    private final EntryReads reads;
    private final RedisKeys keys;
    private final LeaseScripts calls;
    private final TimeSource time;
    private final StoreClock clock;
    private final CallerChanges callerChanges;
    private final List<Object> abilities;

    /** Leases granted in a row, up to a limit. Not exact, as an update may be lost: it decides only about the cost. */
    private int granted;

    /** Creates the store; {@code others} are further abilities, {@code null} for one that is missing. */
    public StoreOnRedis(
            Commands commands, RedisKeys keys, byte[] publishCommand, TimeSource time, @Nullable Object... others) {
        this.commands = commands;
        this.generations = commands.generations();
        this.reads = commands.reads();
        this.keys = keys;
        this.time = time;
        this.clock = new StoreClock(time, patience -> commands.timeNanos(Turn.of(patience)));
        ChangeTimes times = new ChangeTimes(keys, clock);
        this.calls = new LeaseScripts(keys, publishCommand, generations.isOfCluster, times);
        this.callerChanges = new CallerChanges(commands, calls, clock, time);
        this.abilities = new ArrayList<>(List.of(this, times, generations));
        for (Object other : others) {
            if (other != null) {
                abilities.add(other);
            }
        }
    }

    /** Queries the server's clock, which also shows that the server answers. */
    public void learnTime() {
        long sent = time.monotonicNanos();
        clock.learn(commands.timeNanos(commands.defaultTurn()), sent);
    }

    public Commands commands() {
        return commands;
    }

    public RedisKeys keys() {
        return keys;
    }

    public TimeSource time() {
        return time;
    }

    @Override
    public Duration patience() {
        return commands.borrowTimeout();
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        Turn turn = Turn.of(patience);
        byte[] value = keys.value(key);
        byte[] entry = reads.read(turn, key, value);
        reads.await(turn, value); // behind the read, which needs not wait
        return entry;
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> all, Duration patience) {
        if (all.isEmpty()) {
            return Map.of();
        }
        byte[][] redisKeys = new byte[all.size()][];
        int at = 0;
        for (String key : all) {
            redisKeys[at++] = keys.value(key);
        }
        Turn turn = Turn.of(patience);
        Map<String, byte @Nullable []> entries = reads.readAll(turn, all, redisKeys);
        reads.await(turn, redisKeys[0]); // they are of one cache
        return entries;
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        if (requests.isEmpty()) {
            return Map.of();
        }
        Turn turn = Turn.of(patience).once();
        if (requests.size() > 1) {
            return leaseMany(requests, ttl, turn);
        }
        LeaseRequest only = requests.iterator().next();
        if (only.isForFence()) {
            return Map.of(only.key(), leaseByScript(only, ttl, turn));
        }
        boolean isPlain = granted >= ENOUGH
                && only.seen() == null
                && !generations.isOfCluster.get()
                && !commands.refusesChanges();
        LeaseAttempt attempt = isPlain ? leasePlainly(only, ttl, turn) : null;
        if (attempt == null) {
            attempt = leaseByScript(only, ttl, turn);
        }
        if (!(attempt instanceof LeaseAttempt.Granted)) {
            granted = 0;
        } else if (granted < ENOUGH) {
            granted++;
        }
        return Map.of(only.key(), attempt);
    }

    private LeaseAttempt leaseByScript(LeaseRequest request, Duration ttl, Turn turn) {
        // Masters of a cluster have clocks of their own.
        long nowMillis = request.seen() == null || commands.cluster() != null ? 0 : clock.currentTimeMillis();
        Generation generation = reads.await(turn, keys.value(request.key()));
        Script.Call call = calls.lease(request, ttl, true, nowMillis, Generation.stampOf(generation));
        LeaseScripts.Answer answer =
                commands.change(turn, "acquire the lease of", request.key(), call, LeaseScripts.Answer::of);
        answer.teach(clock, turn);
        learn(generation, answer);
        return answer.attempt();
    }

    /** Learns the generation that an answer contains, which that of a cluster does not. */
    private void learn(@Nullable Generation generation, LeaseScripts.Answer answer) {
        if (generation != null && answer.generation() != null && !generations.isOfCluster.get()) {
            generation.learn(answer.generation());
            reads.catchUp(generation);
        }
    }

    /**
     * Returns {@code null} if there is something in place of the lease, or if the server refuses the commands: a full server
     * refuses the {@code SET}, and still tells by the script what is in its place.
     */
    private @Nullable LeaseAttempt leasePlainly(LeaseRequest request, Duration ttl, Turn turn) {
        String key = request.key();
        byte[] value = keys.value(key);
        Generation generation = reads.toldWith(value);
        long stamp = Generation.stampOf(generation);
        KeyedCommand take = PlainCommand.inOrder(new CommandArguments(Protocol.Command.SET)
                .key(keys.lease(key))
                .add(LeaseScripts.leaseOf(request.token(), ttl, stamp))
                .add(Protocol.Keyword.NX)
                .add(Protocol.Keyword.PX)
                .add(ttl.toMillis()));
        CommandArguments values = PlainCommand.entry(value).toSend();
        KeyedCommand read = PlainCommand.inOrder(generation == null ? values : values.key(generation.key));
        LeaseAttempt attempt;
        try {
            attempt = commands.sendInOrder(
                    turn,
                    "acquire the lease of",
                    key,
                    List.of(take, read, NOW),
                    answers -> attemptIn(answers, turn, generation, stamp));
        } catch (StoreException failure) {
            granted = 0;
            if (RedisFailure.isRefusal(failure)) {
                giveBack(new HeldLease(key, request.token())); // the lease may have been taken, and the rest refused
                return null;
            }
            throw failure;
        }
        if (attempt instanceof LeaseAttempt.Found) {
            giveBack(new HeldLease(key, request.token()));
        }
        if (generation != null) {
            reads.catchUp(generation);
        }
        return attempt;
    }

    /** A lease whose stamp is too old, because all entries, or those with a tag, were changed, is requested again, with the same token. */
    private @Nullable LeaseAttempt attemptIn(
            List<@Nullable Object> answers, Turn turn, @Nullable Generation generation, long stamp) {
        clock.learn(StoreClock.nanosIn((List<?>) requireNonNull(answers.get(2))), turn.sentNanos());
        List<?> values = (List<?>) requireNonNull(answers.get(1));
        if (generation != null) {
            generation.learn((byte[]) values.get(1));
        }
        boolean isTooOld = generation != null && generation.isRaisedAbove(stamp);
        if (answers.get(0) == null || isTooOld) {
            return null;
        }
        byte[] entry = PlainCommand.entryIn(values);
        return entry == null || entry.length < LeaseToken.BYTES
                ? new LeaseAttempt.Granted(0)
                : new LeaseAttempt.Found(entry);
    }

    private void giveBack(HeldLease lease) {
        try {
            end(lease, new LeaseEnd.Abandon());
        } catch (StoreException unanswered) {
            // it ends by itself, and until then only reloads of the entry wait for it
        }
    }

    /**
     * If a master of a cluster was not asked because no connection was free, its keys count as held for a moment: a missing
     * answer would mean that the master does not answer.
     */
    private Map<String, LeaseAttempt> leaseMany(Collection<LeaseRequest> requests, Duration ttl, Turn turn) {
        Map<String, Script.Call> each = new LinkedHashMap<>(requests.size() * 2);
        boolean isTimed = true;
        boolean hasSeen = requests.stream().anyMatch(request -> request.seen() != null);
        long nowMillis = hasSeen && commands.cluster() == null ? clock.currentTimeMillis() : 0;
        String any = requests.iterator().next().key(); // they are of one cache
        Generation generation = reads.await(turn, keys.value(any));
        for (LeaseRequest request : requests) {
            each.put(request.key(), calls.lease(request, ttl, isTimed, nowMillis, Generation.stampOf(generation)));
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
        answers.forEach((key, answer) -> {
            learn(generation, answer);
            attempts.put(key, answer.attempt());
        });
        return attempts;
    }

    /**
     * Requires an answer for each lease, since one in an unknown state does not count as kept; and soon, so that there is time
     * for a retry before the leases expire. Sent to a single server even while its circuit breaker is open: a caller's load need
     * not be in vain.
     */
    @Override
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

    @Override
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

    /**
     * {@inheritDoc} The request of a put that may still reach the server, because its connection broke, is waited for: up to a
     * second longer than the answer or the failure takes.
     */
    @Override
    public boolean change(String key, Change change, Duration patience) {
        return callerChanges.change(key, change, patience);
    }

    @Override
    public Map<String, Boolean> invalidate(Collection<String> all, Duration patience) {
        return all.isEmpty() ? Map.of() : callerChanges.invalidate(all, patience);
    }

    /** A cache's name, which contains no colon, stands for its generation. */
    @Override
    public List<List<String>> groups(Collection<String> all) {
        Cluster cluster = commands.cluster();
        return cluster == null
                ? List.of(List.copyOf(all))
                : cluster.groups(all, key -> key.indexOf(':') < 0 ? keys.generation(key) : keys.value(key));
    }

    /** Five plain reads, in one round trip. */
    @Override
    public StoredKey inspect(String key) {
        return Inspection.of(key, commands, keys);
    }

    /** One script, on the master that has the key {@code {products:}:members}. */
    @Override
    public Membership beat(String cache, String process, Duration ttl) {
        return commands.change(
                commands.defaultTurn(),
                "announce this process to the fleet of cache",
                cache,
                calls.beat(cache, process, ttl),
                LeaseScripts::membership);
    }

    @Override
    public void leave(String cache, String process) {
        commands.change(
                commands.defaultTurn(),
                "remove this process from the fleet of cache",
                cache,
                calls.leave(cache, process),
                answer -> answer);
    }

    @Override
    public <T> @Nullable T ability(Class<T> type) {
        for (Object part : abilities) {
            if (type.isInstance(part)) {
                return type.cast(part);
            }
        }
        return null;
    }

    @Override
    public long currentTimeMillis() {
        return clock.currentTimeMillis();
    }
}
