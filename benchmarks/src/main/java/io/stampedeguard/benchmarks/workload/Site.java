package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testbed.measure.RedisCpu;
import io.stampedeguard.testbed.measure.RedisMemory;
import io.stampedeguard.testbed.measure.StallMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/** The environment of the rounds: a Redis of its own, and four processes. For one thread. */
public final class Site implements AutoCloseable {
    private static final Pattern SOCKET_READS = Pattern.compile("total_reads_processed:(\\d+)");
    private static final Pattern REDIS_VERSION = Pattern.compile("redis_version:(\\S+)");
    private static final int PROCESSES = 4;
    private static final int OBSERVING = 2;
    private static final int MOST_LOOKS = 20;
    private static final long BETWEEN_LOOKS_MILLIS = 10;
    private static final long BETWEEN_MEMORY_LOOKS_MILLIS = 500;
    private static final long STANDING_BYTES = 4_096;

    private final RedisProcess redis;
    private final RedisClient observer;
    private final Crew.Purpose purpose;
    private Crew crew;
    private @Nullable Crew reserve;
    private @Nullable Crew alone;

    private Site(RedisProcess redis, RedisClient observer, Crew.Purpose purpose, Crew crew) {
        this.redis = redis;
        this.observer = observer;
        this.purpose = purpose;
        this.crew = crew;
    }

    /** Starts everything; the caller must close it. If this thread is interrupted, nothing is left. */
    public static Site start(Crew.Purpose purpose) throws InterruptedException {
        RedisProcess redis = RedisServer.startProcess();
        try {
            System.err.println("Redis: " + redis.description());
            RedisClient observer = PlainRedis.connectPatiently(redis.uri(), OBSERVING);
            return new Site(redis, observer, purpose, Crew.start(PROCESSES, redis.uri(), purpose));
        } catch (RuntimeException | InterruptedException e) {
            redis.close();
            throw e;
        }
    }

    /** Returns a description of Redis in one line: which one was chosen, its version, and its address. */
    public String redisDescription() {
        return "%s, version %s".formatted(redis.description(), redisVersion());
    }

    private String redisVersion() {
        Matcher version = REDIS_VERSION.matcher(observer.info("server"));
        return version.find() ? version.group(1) : "unknown";
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
            reserve = Crew.start(PROCESSES, redis.uri(), purpose);
        }
        List<FleetMember> members = new ArrayList<>(crew.members(PROCESSES));
        members.addAll(reserve.members(count - PROCESSES));
        return members;
    }

    /** Starts a process of its own. */
    Crew another() throws InterruptedException {
        return Crew.start(1, redis.uri(), purpose);
    }

    /** Returns the one process that is measured alone; it is started when it is needed for the first time. */
    FleetMember alone() throws InterruptedException {
        if (alone == null) {
            alone = Crew.startAlone(redis.uri(), purpose);
        }
        return alone.member(0);
    }

    String redisUri() {
        return redis.uri();
    }

    /** Returns the processor time that Redis has used. */
    RedisCpu redisCpu() {
        return RedisCpu.parse(observer.info("cpu"));
    }

    /**
     * Returns how often Redis has read from a connection. A request is one read, and so is a pipeline, or several callers' requests
     * that arrive together on one connection.
     */
    long redisSocketReads() {
        Matcher reads = SOCKET_READS.matcher(observer.info("stats"));
        if (!reads.find()) {
            throw new IllegalStateException("INFO stats of this server has no total_reads_processed");
        }
        return Long.parseLong(reads.group(1));
    }

    /** Returns the memory that Redis uses, once it is stable: Redis updates the share of connections only periodically. */
    RedisMemory redisMemory() throws InterruptedException {
        return settled(
                () -> RedisMemory.parse(observer.info("memory")),
                (before, now) -> Math.abs(now.bytes() - before.bytes()) < STANDING_BYTES,
                BETWEEN_MEMORY_LOOKS_MILLIS);
    }

    long redisKeys() {
        return observer.dbSize();
    }

    /**
     * Removes all keys from Redis but the generations of caches that were cleared. The state of open peers is not changed: some of them
     * know a generation, others do not. Were it lost, the first who misses it would write it back in the midst of a round, and what
     * the others had stored by then would be outdated.
     */
    void emptyRedis() {
        Map<String, String> generations = new HashMap<>();
        observer.keys("*{*}:gen").forEach(key -> generations.put(key, observer.get(key)));
        observer.flushAll();
        generations.forEach(observer::set);
    }

    /** Replaces all processes and empties Redis: after a round that failed, callers may still wait, and locks may be held. */
    public void renew() throws InterruptedException {
        closeCrews();
        emptyRedis();
        crew = Crew.start(PROCESSES, redis.uri(), purpose);
    }

    /** Starts recording stalls of Redis and of this process. */
    StallMeter meterRedis() {
        return StallMeter.start(Duration.ofMillis(2), observer::ping);
    }

    /**
     * Returns the number of calls of each command, once it is stable: a command that a process sends without waiting
     * for the answer may arrive a moment after its callers have theirs.
     */
    RedisCommands commands() throws InterruptedException {
        return settled(
                () -> RedisCommands.parse(observer.info("commandstats")),
                (before, now) -> now.since(before) == 0,
                BETWEEN_LOOKS_MILLIS);
    }

    private static <T> T settled(Supplier<T> look, BiPredicate<T, T> same, long pauseMillis)
            throws InterruptedException {
        T before = look.get();
        for (int i = 0; i < MOST_LOOKS; i++) {
            TimeUnit.MILLISECONDS.sleep(pauseMillis);
            T now = look.get();
            if (same.test(before, now)) {
                return now;
            }
            before = now;
        }
        return before;
    }

    /** Stops the processes and Redis. */
    @Override
    public void close() {
        closeCrews();
        observer.close();
        redis.close();
    }

    private void closeCrews() {
        if (reserve != null) {
            reserve.close();
            reserve = null;
        }
        if (alone != null) {
            alone.close();
            alone = null;
        }
        crew.close();
    }
}
