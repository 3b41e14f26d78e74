package io.stampedeguard.demo;

import io.stampedeguard.demo.scenario.OutageScenario;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;

/** A Redis of its own for one phase, in which it is killed, and started again, empty. */
final class Outage implements AutoCloseable {
    private static final RedisCommands NONE = new RedisCommands(Map.of());
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final RedisProcess redis = RedisServer.startProcess();
    private final Plan plan;
    private long commandsBefore;

    Outage(Plan plan) {
        this.plan = plan;
    }

    String uri() {
        return redis.uri();
    }

    /** Releases the fleet, and lets Redis run again when it returns the instant of the release. */
    long run(Fleet fleet) throws InterruptedException {
        long released;
        try (Jedis admin = PlainRedis.admin(redis.uri())) { // connected now: it would delay the kill
            released = fleet.release();
            WallClock.awaitMicros(released + OutageScenario.stops(plan) * SECOND_MICROS);
            commandsBefore = commandsSinceStart(admin);
        }
        redis.kill();
        WallClock.awaitMicros(released + OutageScenario.starts(plan) * SECOND_MICROS);
        redis.restart();
        fleet.send(Message.of("restarted")); // until then its callers go on: all of this may be late
        return released;
    }

    /** Returns the number of commands for gets before the outage, and after it. */
    long commands() {
        try (Jedis admin = PlainRedis.admin(redis.uri())) {
            return commandsBefore + commandsSinceStart(admin);
        }
    }

    private static long commandsSinceStart(Jedis admin) {
        return RedisCommands.parse(admin.info("commandstats")).workSince(NONE);
    }

    @Override
    public void close() {
        redis.close();
    }
}
