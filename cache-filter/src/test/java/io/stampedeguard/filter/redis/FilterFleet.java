package io.stampedeguard.filter.redis;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Real processes that share a filter, each a {@link FilterMember}, over a Redis and an origin of their own. For one
 * thread.
 */
final class FilterFleet implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Renewed after a third of it, so that a machine may stall for the rest. */
    private static final Duration TTL = Duration.ofSeconds(20);

    private static final MemberCommand MEMBER =
            MemberCommand.small(FilterMember.class, 96).logging("error");

    private final RedisProcess redis = RedisServer.startProcess();
    private final RedisProcess originServer = RedisServer.startProcess();
    private final FilterRows rows = new FilterRows(originServer.uri());
    private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final List<Fleet> fleets = new ArrayList<>();
    private final long expectedKeys;
    private final MemberCommand command;

    /** Creates a fleet without processes. */
    FilterFleet(long expectedKeys) {
        this(expectedKeys, MEMBER);
    }

    private FilterFleet(long expectedKeys, MemberCommand command) {
        this.expectedKeys = expectedKeys;
        this.command = command;
    }

    /** Creates a fleet without processes; future ones load replacements for parts of the library from a directory. */
    static FilterFleet broken(long expectedKeys, Path front) {
        return new FilterFleet(expectedKeys, MEMBER.withInFrontOfClassPath(front));
    }

    /** Starts a number of processes. */
    Fleet join(int members) throws InterruptedException {
        Fleet fleet = Fleet.start(members, command);
        fleets.add(fleet);
        fleet.send(Message.of("open")
                .with("redis", redis.uri())
                .with("origin", originServer.uri())
                .with("expectedKeys", expectedKeys)
                .with("ttlMillis", TTL.toMillis()));
        fleet.collect("open", PATIENCE);
        return fleet;
    }

    /** Waits for a member's next message of a kind; others are dropped. */
    static Message hear(FleetMember member, String verb) throws InterruptedException {
        Message message = member.receive(PATIENCE);
        while (!message.verb().equals(verb)) {
            message = member.receive(PATIENCE);
        }
        return message;
    }

    /** A filter of this process, whose copy is empty. */
    RedisKeyFilter<Long> filter() {
        return RedisKeyFilter.<Long>builder("fleet", store)
                .expectedKeys(expectedKeys)
                .build();
    }

    RedisProcess redis() {
        return redis;
    }

    FilterRows rows() {
        return rows;
    }

    @Override
    public void close() {
        fleets.forEach(Fleet::close);
        store.close();
        rows.close();
        redis.close();
        originServer.close();
    }
}
