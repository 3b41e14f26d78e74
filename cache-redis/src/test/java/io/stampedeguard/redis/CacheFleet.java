package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Stalls;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import redis.clients.jedis.RedisClient;

/** Real processes, each a {@link CacheMember}, and the origin that they share, as a test sees them. */
final class CacheFleet implements AutoCloseable {
    private static final SpareProcesses PROCESSES = new SpareProcesses(CacheMember.class);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long AHEAD_MICROS = 50_000;
    private static final RedisKeys LEASES = new RedisKeys("");

    /** KEYS: lease, loads. ARGV: the token of its holder. */
    private static final byte[] END_LEASE = """
            if redis.call('GETRANGE', KEYS[1], 0, 15) ~= ARGV[1] then
              return {}
            end
            local left = redis.call('PTTL', KEYS[1])
            redis.call('DEL', KEYS[1])
            return {redis.call('LLEN', KEYS[2]), left}
            """.getBytes(UTF_8);

    private final MemberOrigin origin = new MemberOrigin(SharedRedis.uri());
    private final String prefix = "k" + Long.toHexString(System.nanoTime()) + "-";
    private final List<FleetMember> members;
    private final RedisClient redis;

    /** The answers to a member's callers. */
    record Got(List<String> answers) {}

    /** The answers to a member's callers that called repeatedly: the number of each answer. */
    record Kept(Map<String, Long> counts) {
        Set<String> answers() {
            return counts.keySet();
        }

        long calls() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    CacheFleet(int size, String uri, Message policy) throws InterruptedException {
        redis = PlainRedis.client(uri);
        members = PROCESSES.take(size);
        Message open = policy.with("redis", uri).with("origin", SharedRedis.uri());
        for (int i = 0; i < size; i++) {
            member(i).send(open.with("member", i));
        }
        for (FleetMember member : members) {
            hear(member, "open");
        }
        // The first get of a process loads classes: it must not be one that a test examines.
        get(everybody(), "warm-up", 4, 0);
        gotByAll();
    }

    static Message policy(Duration lease, Duration wait, int maxLoads) {
        return Message.of("open")
                .with("leaseMillis", lease.toMillis())
                .with("waitMillis", wait.toMillis())
                .with("maxLoads", maxLoads);
    }

    /**
     * A command to get a key, or one key per caller if it ends in a hyphen; {@link MemberOrigin#load} documents
     * possible additions.
     */
    static Message get(String key, int callers, long loadMillis) {
        return Message.of("get").with("key", key).with("callers", callers).with("loadMillis", loadMillis);
    }

    /** A command to get a key repeatedly, a number of times per caller, or until {@link #enough} is called. */
    static Message keepGetting(String key, int callers, long loadMillis, int calls, Duration pause) {
        return new Message("keepGetting", get(key, callers, loadMillis).fields())
                .with("calls", calls)
                .with("pauseMillis", pause.toMillis());
    }

    /** Ends the callers of all members that get keys repeatedly, each after its current call. */
    void enough() {
        members.forEach(member -> member.send(Message.of("enough")));
    }

    /** A command to get many keys at once, chosen by the seed; they begin with this prefix and end in a number. */
    static Message getAll(String key, int keys, int callers, long loadMillis, long seed) {
        return new Message("getAll", get(key, callers, loadMillis).fields())
                .with("keys", keys)
                .with("seed", seed);
    }

    FleetMember member(int index) {
        return members.get(index);
    }

    List<FleetMember> everybody() {
        return members;
    }

    void write(String key, String row) {
        origin.write(name(key), row);
    }

    /** Ends the loads of a key that have read their row and wait behind a gate, and all future ones. */
    void openGate(String key) {
        origin.openGate(name(key));
    }

    long loads(String key) {
        return loadInstants(key).size();
    }

    /** Returns when the loads of a key began, in microseconds since the epoch. */
    List<Long> loadInstants(String key) {
        return origin.loads(name(key));
    }

    /** Returns when the loads of a key failed, in microseconds since the epoch. */
    List<Long> failureInstants(String key) {
        return origin.failures(name(key));
    }

    /** Waits until a number of a member's callers wait in its cache, at one moment. */
    void awaitWaiting(FleetMember member, long callers) {
        Fleet.until(() -> waiting(member) == callers);
    }

    private static long waiting(FleetMember member) {
        member.send(Message.of("waiting"));
        try {
            return hear(member, "waiting").number("callers");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void awaitLoads(String key, long count) {
        Fleet.until(() -> loads(key) >= count);
    }

    /** Returns how many milliseconds the lease of a key will still live; negative if there is none. */
    private long leaseMillis(String key) {
        return redis.pttl(lease(key));
    }

    /** Waits until the lease of each of some keys has been renewed, which happens after a third of it. */
    void awaitRenewals(Collection<String> keys) {
        Set<String> awaited = new HashSet<>(keys);
        Map<String, Long> before = new HashMap<>();
        Fleet.until(() -> {
            awaited.removeIf(key -> {
                long now = leaseMillis(key);
                Long earlier = before.put(key, now);
                return earlier != null && earlier < now;
            });
            return awaited.isEmpty();
        });
    }

    /** Returns who holds the lease of a key; somebody must. */
    byte[] holder(String key) {
        byte[] token = redis.getrange(lease(key), 0, 15);
        assertThat(token).as("holder of the lease of %s", key).hasSize(16);
        return token;
    }

    /** The loads that had begun when a lease was ended, and the time after which it would have ended by itself. */
    record EndedLease(long loads, long millisLeft) {}

    /**
     * Ends the lease of a key, as if its holder had stalled for that long, and returns what was seen at that moment; empty, and
     * without effect, if it had ended by itself before: somebody else may hold it by then.
     */
    Optional<EndedLease> endLease(String key, byte[] holder) {
        List<?> seen =
                (List<?>) redis.eval(END_LEASE, List.of(lease(key), origin.loadsKey(name(key))), List.of(holder));
        return seen.isEmpty() ? Optional.empty() : Optional.of(new EndedLease((Long) seen.get(0), (Long) seen.get(1)));
    }

    private byte[] lease(String key) {
        return LEASES.lease("fleet:" + name(key));
    }

    /** Lets the callers of some members get a key at one instant; if it ends in a hyphen, one key per caller. */
    void get(List<FleetMember> members, String key, int callers, long loadMillis) {
        order(members, get(key, callers, loadMillis));
    }

    /** Lets some members start a command at one instant. */
    void order(List<FleetMember> members, Message order) {
        long instant = WallClock.micros() + (members.size() > 1 ? AHEAD_MICROS : 0);
        Message dated = order.with("key", name(order.text("key"))).with("atMicros", instant);
        members.forEach(member -> member.send(dated));
    }

    Got gotBy(FleetMember member) throws InterruptedException {
        return new Got(list(hear(member, "got"), "answers"));
    }

    List<Got> gotByAll() throws InterruptedException {
        List<Got> all = new ArrayList<>();
        for (FleetMember member : everybody()) {
            all.add(gotBy(member));
        }
        return all;
    }

    Kept keptBy(FleetMember member) throws InterruptedException {
        return new Kept(list(hear(member, "kept"), "counts").stream()
                .map(count -> count.split(":"))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[1]))));
    }

    /** Returns how often a member's cache reported an outcome. */
    long events(FleetMember member, Enum<?> outcome) throws InterruptedException {
        member.send(Message.of("events"));
        return Collections.frequency(list(hear(member, "events"), "all"), outcome.name());
    }

    /** Returns when a member, or the origin's Redis, stalled. */
    Stalls stalls(FleetMember member) throws InterruptedException {
        member.send(Message.of("stalls"));
        Stalls stalls = new Stalls();
        stalls.addAll(hear(member, "stalls").text("all"));
        return stalls;
    }

    /** Changes the row and invalidates the key, through one member; returns when the invalidation has returned. */
    void change(FleetMember member, String key, String row) throws InterruptedException {
        member.send(Message.of("change").with("key", name(key)).with("row", row));
        hear(member, "changed");
    }

    private static Message hear(FleetMember member, String verb) throws InterruptedException {
        return member.receive(verb, PATIENCE);
    }

    private static List<String> list(Message message, String field) {
        return List.of(message.text(field).split(","));
    }

    private String name(String key) {
        return prefix + key;
    }

    @Override
    public void close() {
        PROCESSES.giveBack(members);
        origin.close();
        redis.close();
    }
}
