package io.stampedeguard.demo.serve.stage;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.origin.EmbeddedDatabase;
import io.stampedeguard.demo.origin.QueryTime;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.member.Orders;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The servers and processes behind the page: a Redis that can be stopped, the two fleets, and a database for each
 * fleet, so that the load of one does not affect the other. <em>Thread-safe.</em> All processes end with this one if it
 * is ended politely. If it is killed (SIGKILL), fleets and databases end because their input ends; Redis keeps running.
 */
public final class LiveStage implements AutoCloseable {
    private static final String TABLES = "live_";
    private static final Duration FILLED_WITHIN = Duration.ofSeconds(60);
    private static final int WARM_UP_SECONDS = 3;
    private static final Duration LOADS_WITHIN = Duration.ofSeconds(1);
    private static final long LOOK_EACH_MILLIS = 100;
    private static final long CONNECTED_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Deque<AutoCloseable> begun = new ArrayDeque<>();
    private final Map<Side, LiveFleet> fleets = new EnumMap<>(Side.class);
    private final RedisProcess redis;
    private volatile boolean asking;
    private volatile boolean slow;
    private volatile boolean near = true;
    private final LostFilter filter = new LostFilter(() -> fleet(Side.GUARDED).buildFilter());

    private LiveStage() {
        redis = RedisServer.startProcess();
        begun.push(redis);
    }

    public static LiveStage start() throws Exception {
        LiveStage stage = new LiveStage();
        try {
            Map<Side, DatabaseAddress> databases = new EnumMap<>(Side.class);
            for (Side side : Side.values()) {
                databases.put(side, stage.newDatabase());
            }
            databases.forEach(stage::begin);
            stage.awaitProcesses();
            stage.fillCaches();
            stage.startTraffic();
            return stage;
        } catch (Throwable e) {
            stage.close();
            throw e;
        }
    }

    private DatabaseAddress newDatabase() throws Exception {
        EmbeddedDatabase database = EmbeddedDatabase.start();
        begun.push(database);
        Catalogue catalogue = new Catalogue(database.address(), TABLES, Load.ORDER_LINES);
        catalogue.create();
        catalogue.fill(1);
        QueryTime.millis(database.address(), TABLES); // which warms it up
        return database.address();
    }

    private void begin(Side side, DatabaseAddress database) {
        LiveFleet fleet = new LiveFleet(side, () -> connect(side, database), this::live);
        begun.push(fleet);
        fleets.put(side, fleet);
    }

    /** Otherwise the page would begin with an unexplained stampede. */
    private void fillCaches() throws InterruptedException {
        for (LiveFleet fleet : fleets.values()) {
            fleet.fill(FILLED_WITHIN);
        }
    }

    /** All callers begin at the same time, and the first calls, during which Java loads its classes, are not shown. */
    private void startTraffic() throws InterruptedException {
        asking = true;
        tellAll(live());
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
    }

    private Message connect(Side side, DatabaseAddress database) {
        return Message.of("connect")
                .with(database)
                .with("redis", redis.uri())
                .with("prefix", side + ":")
                .with("tables", TABLES);
    }

    /** Returns the current state; the database is not slowed down while the caches are filled. */
    private Message live() {
        return Orders.live(asking ? workMillis() : 0, near, asking);
    }

    private void awaitProcesses() throws InterruptedException {
        long began = System.nanoTime();
        while (fleets.values().stream().anyMatch(fleet -> fleet.processes() < Load.PROCESSES)) {
            if (System.nanoTime() - began > CONNECTED_WITHIN_NANOS) {
                throw new IllegalStateException("the processes of the fleets did not start");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_EACH_MILLIS);
        }
    }

    public LiveFleet fleet(Side side) {
        return requireNonNull(fleets.get(side), "there is no such fleet");
    }

    public Set<Side> tellOneOfEach(Message message) {
        return in(fleet -> fleet.tellOne(message));
    }

    public Set<Side> tellAll(Message message) {
        return in(fleet -> fleet.tellAll(message));
    }

    public Set<Side> killOneOfEach() {
        return in(LiveFleet::killOne);
    }

    /**
     * Lets the hot key expire, and kills a process of each fleet while it loads that; where none does, any process. Returns what
     * becomes of the load, for each fleet that had a process.
     */
    public Map<Side, Takeover> killOneOfEachWhileItLoads() throws InterruptedException {
        Map<Side, Takeover> possible = new EnumMap<>(Side.class);
        fleets.forEach((side, fleet) -> possible.put(side, fleet.killTheNextThatLoads()));
        if (redisRuns()) {
            tellOneOfEach(Orders.expireHot());
        }
        Map<Side, Takeover> takeovers = new EnumMap<>(Side.class);
        for (Map.Entry<Side, Takeover> each : possible.entrySet()) {
            LiveFleet fleet = fleet(each.getKey());
            Duration within = redisRuns() && fleet.processes() > 0 ? LOADS_WITHIN : Duration.ZERO;
            if (each.getValue().happens(within) || fleet.killOne()) {
                takeovers.put(each.getKey(), each.getValue());
            }
        }
        return takeovers;
    }

    private Set<Side> in(Predicate<LiveFleet> done) {
        Set<Side> sides = EnumSet.noneOf(Side.class);
        fleets.forEach((side, fleet) -> {
            if (done.test(fleet)) {
                sides.add(side);
            }
        });
        return sides;
    }

    public void makeSlow(boolean wanted) {
        slow = wanted;
        tellAll(live());
    }

    /** Switches the near caches of the guarded fleet. */
    public void useNear(boolean wanted) {
        near = wanted;
        fleet(Side.GUARDED).tellAll(live());
    }

    public boolean isNear() {
        return near;
    }

    private long workMillis() {
        return slow ? Load.SLOW_WORK_MILLIS : Load.WORK_MILLIS;
    }

    public boolean isSlow() {
        return slow;
    }

    public boolean redisRuns() {
        return redis.isAlive();
    }

    public String redis() {
        return redis.description();
    }

    public void stopRedis() {
        redis.kill();
    }

    /** Redis is empty after its start, so the next {@link #sample()} starts to rebuild the key filter. */
    public void startRedis() {
        redis.restart();
        filter.lost();
    }

    public Map<Side, Tally> totals() {
        Map<Side, Tally> totals = new EnumMap<>(Side.class);
        fleets.forEach((side, fleet) -> totals.put(side, fleet.total()));
        return totals;
    }

    /** Returns the figures since the last call. Must be called each second, by one thread. */
    public Sample sample() {
        if (redisRuns()) {
            filter.see();
        }
        Map<Side, Second> seconds = new EnumMap<>(Side.class);
        fleets.forEach((side, fleet) -> seconds.put(side, fleet.second()));
        return new Sample(System.currentTimeMillis(), redisRuns(), slow, near, seconds);
    }

    @Override
    public void close() {
        while (!begun.isEmpty()) {
            try {
                begun.pop().close();
            } catch (Exception alreadyGone) {
                // During shutdown, a server that no longer answers needs no cleanup.
            }
        }
    }
}
