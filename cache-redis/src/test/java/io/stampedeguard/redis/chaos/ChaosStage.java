package io.stampedeguard.redis.chaos;

import io.stampedeguard.redis.chaos.FaultPlan.Planned;
import io.stampedeguard.redis.history.HistoryFile;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.Direction;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testkit.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;

/**
 * The servers and processes of a run, and the faults that affect them. Each process has a proxy of its own before Redis. For one
 * thread.
 */
final class ChaosStage implements AutoCloseable {
    static final int PROCESSES = 4;

    private static final MemberCommand MEMBER = MemberCommand.small(ChaosMember.class, 256)
            .logging("error"); // deliberate failures are not worth a log line
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration DELAY = Duration.ofMillis(200);
    private static final Duration JITTER = Duration.ofMillis(20);
    private static final double RESET_SHARE = 0.3;
    private static final long BETWEEN_RESETS_MICROS = 200_000;
    private static final long BETWEEN_COUNTS_MICROS = 10_000;

    private final Path directory;
    private final long seed;
    private final Deque<Runnable> started = new ArrayDeque<>();
    private final RedisProcess redis;
    private final ChaosDatabase database;
    private final List<FaultProxy> proxies = new ArrayList<>();
    private final Fleet fleet;
    private final List<Message> reports = new ArrayList<>();
    private long beginMicros;
    private int processes;

    ChaosStage(Path directory, long seed) throws Exception {
        this.directory = directory;
        this.seed = seed;
        try {
            redis = RedisServer.startProcess();
            started.push(redis::close);
            database = new ChaosDatabase(ChaosMember.KEYS, seed);
            started.push(database::close);
            for (int i = 0; i < PROCESSES; i++) {
                FaultProxy proxy = FaultProxy.start(redis.host(), redis.port(), seed + i);
                started.push(proxy::close);
                proxies.add(proxy);
            }
            fleet = Fleet.start(PROCESSES, MEMBER);
            started.push(fleet::close);
            for (FleetMember member : fleet.members()) {
                open(member);
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private void open(FleetMember member) throws InterruptedException {
        member.send(Message.of("open")
                .with("redis", proxies.get(member.index()).uri())
                .with("database", database.url())
                .with("password", database.password())
                .with("directory", directory)
                .with("seed", seed + processes)
                .with("process", processes++));
        member.receive("ready", PATIENCE);
    }

    /** Lets all processes begin at an instant, in microseconds since the epoch. */
    void begin(long atMicros) {
        beginMicros = atMicros;
        fleet.members().forEach(this::begin);
    }

    private void begin(FleetMember member) {
        member.send(Message.of("begin").with("atMicros", beginMicros));
    }

    /** Makes a fault now, and ends it at an instant; returns when it has ended. */
    void make(Planned planned, long untilMicros) throws InterruptedException {
        fleet.requireAllAlive();
        int index = planned.process();
        switch (planned.fault()) {
            case REDIS_KILLED -> {
                redis.kill();
                WallClock.awaitMicros(untilMicros);
                redis.restart();
            }
            case REDIS_STALLED -> {
                redis.pause();
                WallClock.awaitMicros(untilMicros);
                redis.resume();
            }
            case REDIS_SLOW -> {
                proxies.forEach(proxy -> proxy.delayAnswers(DELAY, JITTER));
                WallClock.awaitMicros(untilMicros);
                proxies.forEach(FaultProxy::heal);
            }
            case CONNECTIONS_RESET -> reset(untilMicros);
            case CLIENT_PAUSE -> {
                long millis = (untilMicros - WallClock.micros()) / 1_000;
                administer(admin -> admin.clientPause(Math.max(1, millis), ClientPauseMode.ALL));
                WallClock.awaitMicros(untilMicros);
            }
            case FLUSHALL -> administer(Jedis::flushAll);
            case MEMORY_FULL -> {
                administer(admin -> admin.configSet("maxmemory", "1"));
                WallClock.awaitMicros(untilMicros);
                administer(admin -> admin.configSet("maxmemory", "0"));
            }
            case DATABASE_SLOW -> {
                database.slow();
                WallClock.awaitMicros(untilMicros);
                database.heal();
            }
            case DATABASE_DOWN -> {
                database.cut();
                WallClock.awaitMicros(untilMicros);
                database.heal();
            }
            case PROCESS_KILLED -> replace(index);
            case PROCESS_PAUSED -> pause(fleet.members().get(index), untilMicros);
            case REQUESTS_LOST -> lose(Direction.TO_SERVER, index, untilMicros);
            case ANSWERS_LOST -> lose(Direction.FROM_SERVER, index, untilMicros);
        }
    }

    private void reset(long untilMicros) throws InterruptedException {
        proxies.forEach(proxy -> proxy.resetNew(RESET_SHARE));
        while (WallClock.micros() < untilMicros) {
            proxies.forEach(proxy -> proxy.reset(RESET_SHARE));
            WallClock.awaitMicros(Math.min(untilMicros, WallClock.micros() + BETWEEN_RESETS_MICROS));
        }
        proxies.forEach(FaultProxy::heal);
    }

    private void administer(Consumer<Jedis> commands) {
        try (Jedis admin = PlainRedis.admin(redis.uri())) {
            commands.accept(admin);
        }
    }

    private void replace(int index) throws InterruptedException {
        takeReports(fleet.members().get(index));
        FleetMember next = fleet.replace(index);
        open(next);
        begin(next);
    }

    private void takeReports(FleetMember member) throws InterruptedException {
        for (Message report = member.poll(Duration.ZERO); report != null; report = member.poll(Duration.ZERO)) {
            reports.add(report);
        }
    }

    private static void pause(FleetMember member, long untilMicros) throws InterruptedException {
        member.stop();
        try {
            WallClock.awaitMicros(untilMicros);
        } finally {
            member.cont();
        }
    }

    private void lose(Direction direction, int index, long untilMicros) throws InterruptedException {
        proxies.get(index).lose(direction);
        WallClock.awaitMicros(untilMicros);
        proxies.get(index).heal();
    }

    /** What remains of a run: changes that are queued when Redis has long answered, and threads and connections after close. */
    record Remains(long queued, long threads, long connections) {
        static final Remains NOTHING = new Remains(0, 0, 0);
    }

    /** Lets the processes end their calls, and then close their caches and stores. */
    Remains end() throws InterruptedException {
        fleet.send(Message.of("enough"));
        long queued = 0;
        long threads = 0;
        for (Message finished : fleet.collect("finished", PATIENCE, (member, report) -> reports.add(report))) {
            queued += finished.number("queued");
            threads += finished.number("threads");
        }
        return new Remains(queued, threads, connectionsInTheEnd());
    }

    /** Returns the number of connections that the processes keep; the proxies pass on the end of each within moments. */
    private long connectionsInTheEnd() throws InterruptedException {
        long until = WallClock.micros() + TimeUnit.NANOSECONDS.toMicros(PATIENCE.toNanos());
        try (Jedis admin = PlainRedis.admin(redis.uri())) {
            long others = admin.clientList().lines().count() - 1;
            while (others > 0 && WallClock.micros() < until) {
                WallClock.awaitMicros(WallClock.micros() + BETWEEN_COUNTS_MICROS);
                others = admin.clientList().lines().count() - 1;
            }
            return others;
        }
    }

    /** Returns the reports of all processes, one for each second and process. */
    List<Message> reports() {
        return List.copyOf(reports);
    }

    /** Returns all calls of all processes, killed ones included. */
    List<Operation> history() throws IOException {
        return HistoryFile.readAll(directory);
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            started.pop().run();
        }
    }
}
