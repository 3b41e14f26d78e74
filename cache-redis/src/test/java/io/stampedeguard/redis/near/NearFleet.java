package io.stampedeguard.redis.near;

import io.stampedeguard.redis.SpareProcesses;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;

/** Real processes, each a {@link NearMember}, over a Redis and an origin of their own. For one thread. */
final class NearFleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final SpareProcesses PROCESSES = new SpareProcesses(NearMember.class);

    private final RedisProcess redis;
    private final RedisProcess originServer = RedisServer.startProcess();
    private final Rows rows = new Rows(originServer.uri());
    private final List<FleetMember> members;

    /**
     * Starts a number of processes.
     *
     * @param open their configuration, besides the address of Redis
     * @param uris returns the address of Redis for each
     */
    NearFleet(int size, RedisProcess redis, Message open, IntFunction<String> uris) throws InterruptedException {
        this.redis = redis;
        this.members = PROCESSES.take(size);
        for (int i = 0; i < size; i++) {
            member(i)
                    .send(open.with("redis", uris.apply(i))
                            .with("origin", originServer.uri())
                            .with("name", "near-" + i));
        }
        for (FleetMember member : members) {
            hear(member, "open");
        }
    }

    /** The configuration of members that read for a long time, and load at once. */
    static Message lasting(Duration staleness) {
        return Message.of("open")
                .with("softMillis", 600_000)
                .with("loadMillis", 1)
                .with("stalenessMillis", staleness.toMillis());
    }

    Rows rows() {
        return rows;
    }

    List<FleetMember> members() {
        return members;
    }

    FleetMember member(int index) {
        return members.get(index);
    }

    /** Writes each row, and lets each member read it twice. */
    void warmUp(int keys) throws InterruptedException {
        for (int key = 0; key < keys; key++) {
            rows.write(Integer.toString(key));
        }
        for (FleetMember member : members()) {
            readOnce(member, keys, 2);
        }
    }

    /** Lets a member read each key a number of times; returns when it has. */
    void readOnce(FleetMember member, int keys, int times) throws InterruptedException {
        member.send(Message.of("once").with("keys", keys).with("times", times));
        hear(member, "readOnce");
    }

    /** Lets a member read each key once; returns the versions that it got. */
    Map<String, Long> versions(FleetMember member, int keys) throws InterruptedException {
        member.send(Message.of("versions").with("keys", keys));
        return Change.decode(hear(member, "versions").text("versions")).stream()
                .collect(Collectors.toMap(Change::key, Change::version));
    }

    /** Waits until the near caches of some members answer; returns the number of attempts. */
    long awaitHits(List<FleetMember> some) throws InterruptedException {
        long asked = 0;
        for (FleetMember member : some) {
            counts(member);
            do {
                TimeUnit.MILLISECONDS.sleep(20);
                readOnce(member, 1, 2);
                asked += 2;
            } while (count(counts(member), "NEAR") == 0);
        }
        return asked;
    }

    /** Lets a member read keys at random; to be followed by {@link #hear}. */
    static void read(FleetMember member, int keys, int readers, Duration length, Duration pause) {
        member.send(Message.of("read")
                .with("keys", keys)
                .with("readers", readers)
                .with("forMillis", length.toMillis())
                .with("pauseMicros", pause.toNanos() / 1_000));
    }

    Readings readings(FleetMember member) throws InterruptedException {
        return Readings.decode(hear(member, "read").text("readings"));
    }

    /** Lets a member change keys at random; to be followed by {@link #changes}. */
    static void change(FleetMember member, String by, int keys, Duration length, Duration pause) {
        member.send(Message.of("change")
                .with("by", by)
                .with("keys", keys)
                .with("forMillis", length.toMillis())
                .with("pauseMillis", pause.toMillis()));
    }

    List<Change> changes(FleetMember member) throws InterruptedException {
        return Change.decode(hear(member, "changed").text("changes"));
    }

    /** Returns what a member's cache has reported since the previous call. */
    Message counts(FleetMember member) throws InterruptedException {
        member.send(Message.of("counts"));
        return hear(member, "counts");
    }

    /** Returns how often something was counted. */
    static long count(Message counts, String name) {
        return Long.parseLong(counts.fields().getOrDefault(name, "0"));
    }

    /** Opens a connection to Redis that bypasses all relays. */
    Jedis admin() {
        return PlainRedis.admin(redis.host(), redis.port());
    }

    /** Waits for a member's next message of a kind; others are kept for later calls. */
    static Message hear(FleetMember member, String verb) throws InterruptedException {
        return member.receive(verb, PATIENCE);
    }

    @Override
    public void close() {
        PROCESSES.giveBack(members);
        rows.close();
        originServer.close();
    }
}
