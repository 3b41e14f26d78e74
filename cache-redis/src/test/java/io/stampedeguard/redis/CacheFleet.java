package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import redis.clients.jedis.RedisClient;

/** Real processes, each a {@link CacheMember}, and the origin that they share, seen from a test. */
final class CacheFleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long AHEAD_MICROS = 50_000;

    private final RedisClient origin = SharedRedis.client();
    private final String prefix = "k" + Long.toHexString(System.nanoTime()) + "-";
    private final Fleet fleet;

    /** What a member's callers got. */
    record Got(List<String> answers, long slowestMillis, long mostLoading) {}

    CacheFleet(int size, String redis, Message policy) throws InterruptedException {
        fleet = Fleet.start(size, MemberCommand.of(CacheMember.class).withJvmOptions("-Xmx128m", "-XX:+UseSerialGC"));
        fleet.tell(policy.with("redis", redis).with("origin", SharedRedis.uri()));
        fleet.collect("open", PATIENCE);
        // The first get of a process loads classes: let it not be one that a test looks at.
        get(everybody(), "warm-up", 4, 0);
        gotByAll();
    }

    static Message policy(Duration lease, Duration wait, int maxLoads) {
        return Message.of("open")
                .with("leaseMillis", lease.toMillis())
                .with("waitMillis", wait.toMillis())
                .with("maxLoads", maxLoads);
    }

    FleetMember member(int index) {
        return fleet.members().get(index);
    }

    List<FleetMember> everybody() {
        return fleet.members();
    }

    void write(String key, String row) {
        origin.set("row:" + name(key), row);
    }

    long loads(String key) {
        String count = origin.get("loads:" + name(key));
        return count == null ? 0 : Long.parseLong(count);
    }

    void awaitLoads(String key, long count) {
        Awaitility.await().pollInterval(Duration.ofMillis(2)).atMost(PATIENCE).until(() -> loads(key) >= count);
    }

    /** Lets the callers of some members get a key at one instant; a key that ends in a hyphen means a key each. */
    void get(List<FleetMember> members, String key, int callers, long loadMillis) {
        long instant = WallClock.micros() + (members.size() > 1 ? AHEAD_MICROS : 0);
        for (FleetMember member : members) {
            member.tell(Message.of("get")
                    .with("key", name(key))
                    .with("callers", callers)
                    .with("loadMillis", loadMillis)
                    .with("atMicros", instant));
        }
    }

    Got gotBy(FleetMember member) throws InterruptedException {
        Message got = member.receive(PATIENCE);
        if (!got.verb().equals("got")) {
            throw new IllegalStateException("expected to hear what it got, not " + got);
        }
        return new Got(List.of(got.text("answers").split(",")), got.number("slowestMillis"), got.number("mostLoading"));
    }

    List<Got> gotByAll() throws InterruptedException {
        List<Got> all = new ArrayList<>();
        for (FleetMember member : everybody()) {
            all.add(gotBy(member));
        }
        return all;
    }

    /** Changes the row and invalidates the key, through one member; returns when that has returned. */
    void change(FleetMember member, String key, String row) throws InterruptedException {
        member.tell(Message.of("change").with("key", name(key)).with("row", row));
        Message changed = member.receive(PATIENCE);
        if (!changed.verb().equals("changed")) {
            throw new IllegalStateException("expected to hear of the change, not " + changed);
        }
    }

    private String name(String key) {
        return prefix + key;
    }

    @Override
    public void close() {
        fleet.close();
        origin.close();
    }
}
