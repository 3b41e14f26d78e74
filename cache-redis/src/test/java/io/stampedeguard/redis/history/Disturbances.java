package io.stampedeguard.redis.history;

import io.stampedeguard.redis.history.CommonGround.Changes;
import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.HistoryChecker.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * The disturbances of the processes of a run while they work: at random, one is killed and replaced, or stopped for
 * longer than a lease lives. If there are near caches, one is also stopped for longer than their bound, and all lose
 * the connections of their invalidation feeds for a while. Then nothing happens for so long that a missed change would
 * be detected. Redis may end, too, after it has answered a number of calls. For one thread.
 */
final class Disturbances {
    private static final int CALLS_BEFORE_AN_OUTAGE = 2_000;

    /** Enough to read each key of what came back. */
    private static final int CALLS_AFTER_AN_OUTAGE = 500;

    private final Trouble trouble;
    private final HistoryFleet fleet;
    private final HistoryRedis redis;
    private final Random random;
    private final List<Loss> losses = new ArrayList<>();
    private final Map<Kind, Integer> made = new EnumMap<>(Kind.class);

    /** The kinds of disturbances. */
    enum Kind {
        KILL,
        PAUSE,
        LONG_PAUSE,
        CUT,
        OUTAGE
    }

    Disturbances(Trouble trouble, HistoryFleet fleet, HistoryRedis redis, Random random) {
        this.trouble = trouble;
        this.fleet = fleet;
        this.redis = redis;
        this.random = random;
    }

    /** Returns whether there were enough of each kind for a meaningful run. */
    boolean areEnough() {
        return Stream.of(Kind.values()).noneMatch(this::isMissing);
    }

    /** Waits a while, and causes a disturbance; returns when it has ended. */
    void another() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(400));
        fleet.requireAllAlive();
        List<Kind> kinds = Stream.of(Kind.values()).filter(this::isMissing).toList();
        if (kinds.isEmpty()) {
            kinds = Stream.of(Kind.values())
                    .filter(kind -> trouble.fewest(kind) > 0 && kind != Kind.OUTAGE)
                    .toList();
        }
        if (!kinds.isEmpty()) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            make(kind);
            made.merge(kind, 1, Integer::sum);
        }
    }

    private boolean isMissing(Kind kind) {
        return made.getOrDefault(kind, 0) < trouble.fewest(kind);
    }

    private void make(Kind kind) throws InterruptedException {
        int index = random.nextInt(fleet.size());
        switch (kind) {
            case KILL -> fleet.replace(index);
            case PAUSE -> fleet.pause(index, longerThan(HistoryMember.LEASE, 300));
            case LONG_PAUSE -> fleet.pause(index, longerThan(NearCaches.OPTIONS.maxStaleness(), 1_500));
            case CUT -> cut();
            case OUTAGE -> endRedis();
        }
    }

    /**
     * What one process forgets, the others know; so where changes of one kind are lost, only one process makes them, and is alone
     * until it has read what came back.
     */
    private void endRedis() throws InterruptedException {
        Changes lost = trouble.lostIn(made.getOrDefault(Kind.OUTAGE, 0));
        boolean isOfOneKind = lost != Changes.ALL;
        awaitCalls(CALLS_BEFORE_AN_OUTAGE);
        fleet.ground().permit(lost);
        if (isOfOneKind) {
            fleet.stopAllBut(random.nextInt(fleet.size()));
        }
        redis.end(fleet.ground()::nextPlace).ifPresent(losses::add);
        fleet.ground().permit(isOfOneKind ? Changes.NONE : Changes.ALL);
        awaitCalls(CALLS_AFTER_AN_OUTAGE);
        fleet.continueAll();
        fleet.ground().permit(Changes.ALL);
    }

    /** Returns when Redis has answered so many more. */
    private void awaitCalls(int calls) throws InterruptedException {
        long enough = fleet.ground().counted(Count.OPERATIONS) + calls;
        while (fleet.ground().counted(Count.OPERATIONS) < enough) {
            TimeUnit.MILLISECONDS.sleep(10);
            fleet.requireAllAlive();
        }
    }

    /** Returns what Redis has lost. */
    List<Loss> losses() {
        return losses;
    }

    private Duration longerThan(Duration length, int byUpToMillis) {
        return length.plusMillis(random.nextInt(byUpToMillis));
    }

    /** Cuts them repeatedly: at first they reconnect at once, then later and later. */
    private void cut() throws InterruptedException {
        try (Jedis admin = PlainRedis.admin(redis.uri())) {
            for (int times = 1 + random.nextInt(10); times > 0; times--) {
                admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
                TimeUnit.MILLISECONDS.sleep(30);
            }
        }
        TimeUnit.NANOSECONDS.sleep(
                longerThan(NearCaches.OPTIONS.maxStaleness(), 1_000).toNanos());
    }

    /** Returns the number of each kind. */
    @Override
    public String toString() {
        return made.toString();
    }
}
