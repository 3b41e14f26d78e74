package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.measure.RedisCpu;
import io.stampedeguard.testbed.measure.RedisMemory;
import io.stampedeguard.testbed.measure.StandstillMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/** The environment of the rounds: a Redis of its own, and four processes. For one thread. */
public final class Site implements AutoCloseable {
    private static final int PROCESSES = 4;
    private static final int OBSERVING = 2;
    private static final int MOST_LOOKS = 20;
    private static final long BETWEEN_LOOKS_MILLIS = 10;
    private static final long BETWEEN_MEMORY_LOOKS_MILLIS = 500;
    private static final long STANDING_BYTES = 4_096;

    private final RedisProcess redis;
    private final RedisClient observer;
    private final Crew crew;
    private @Nullable Crew reserve;
    private @Nullable Crew optimized;

    private Site(RedisProcess redis, RedisClient observer, Crew crew) {
        this.redis = redis;
        this.observer = observer;
        this.crew = crew;
    }

    /** Starts everything; the caller must close it. If this thread is interrupted, nothing is left. */
    public static Site start() throws InterruptedException {
        RedisProcess redis = RedisServer.startProcess();
        try {
            System.err.println("Redis: " + redis.description());
            RedisClient observer = PlainRedis.connectPatiently(redis.uri(), OBSERVING);
            return new Site(redis, observer, Crew.start(PROCESSES, redis.uri()));
        } catch (RuntimeException | InterruptedException e) {
            redis.close();
            throw e;
        }
    }

    Crew crew() {
        return crew;
    }

    /** Returns some processes; more than four are started when they are needed for the first time. */
    List<FleetMember> members(int count) throws InterruptedException {
        if (count <= PROCESSES) {
            return crew.members(count);
        }
        if (reserve == null) {
            reserve = Crew.start(PROCESSES, redis.uri());
        }
        List<FleetMember> members = new ArrayList<>(crew.members(PROCESSES));
        members.addAll(reserve.members(count - PROCESSES));
        return members;
    }

    /** Starts a process of its own. */
    Crew another() throws InterruptedException {
        return Crew.start(1, redis.uri());
    }

    /** Returns the one process with both compilers; it is started when it is needed for the first time. */
    FleetMember optimized() throws InterruptedException {
        if (optimized == null) {
            optimized = Crew.startOptimized(redis.uri());
        }
        return optimized.member(0);
    }

    String redisUri() {
        return redis.uri();
    }

    /** Returns the processor time that Redis has used. */
    RedisCpu redisCpu() {
        return RedisCpu.parse(observer.info("cpu"));
    }

    /** Returns the memory that Redis uses, once it is stable: Redis updates the share of connections only periodically. */
    RedisMemory redisMemory() throws InterruptedException {
        RedisMemory before = RedisMemory.parse(observer.info("memory"));
        for (int i = 0; i < MOST_LOOKS; i++) {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_MEMORY_LOOKS_MILLIS);
            RedisMemory now = RedisMemory.parse(observer.info("memory"));
            if (Math.abs(now.bytes() - before.bytes()) < STANDING_BYTES) {
                return now;
            }
            before = now;
        }
        return before;
    }

    /** Removes all keys from Redis. The state of open peers is not changed. */
    void emptyRedis() {
        observer.flushAll();
    }

    /** Starts recording stalls of Redis and of this process. */
    StandstillMeter meterRedis() {
        return StandstillMeter.start(Duration.ofMillis(2), observer::ping);
    }

    /**
     * Returns the number of calls of each command, once it is stable: a command that a process sends without waiting
     * for the answer may arrive a moment after its callers have theirs.
     */
    RedisCommands commands() throws InterruptedException {
        RedisCommands before = look();
        for (int i = 0; i < MOST_LOOKS; i++) {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
            RedisCommands now = look();
            if (now.since(before) == 0) {
                return now;
            }
            before = now;
        }
        return before;
    }

    private RedisCommands look() {
        return RedisCommands.parse(observer.info("commandstats"));
    }

    /** Stops the processes and Redis. */
    @Override
    public void close() {
        if (reserve != null) {
            reserve.close();
        }
        if (optimized != null) {
            optimized.close();
        }
        crew.close();
        observer.close();
        redis.close();
    }
}
