package io.stampedeguard.redis.history;

import java.net.URI;
import java.time.Duration;
import java.util.Random;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * What is done to the processes of a run while they work: at random one is killed and replaced, or stopped for longer than
 * a lease lives. Where there are near caches, one is also stopped for longer than these may be behind, and all lose the
 * connections on which they hear of changes. For one thread.
 */
final class Disturbances {
    private static final int FEWEST_KILLS = 2;
    private static final int FEWEST_PAUSES = 4;
    private static final int FEWEST_LONG_PAUSES = 2;
    private static final int FEWEST_CUTS = 10;

    private final HistoryFleet fleet;
    private final String redis;
    private final boolean near;
    private final Random random;
    private int kills;
    private int pauses;
    private int longPauses;
    private int cuts;

    Disturbances(HistoryFleet fleet, NearCaches nearCaches, String redis, Random random) {
        this.fleet = fleet;
        this.redis = redis;
        this.near = nearCaches != NearCaches.NONE;
        this.random = random;
    }

    /** Tells whether there were so many of each that a run means something. */
    boolean areEnough() {
        return kills >= FEWEST_KILLS
                && pauses >= FEWEST_PAUSES
                && (!near || (longPauses >= FEWEST_LONG_PAUSES && cuts >= FEWEST_CUTS));
    }

    /** Does something; returns when it is over. */
    void another() throws InterruptedException {
        int index = random.nextInt(fleet.size());
        if (near && random.nextInt(3) > 0) {
            cut();
        } else if (random.nextInt(4) == 0 || (pauses >= FEWEST_PAUSES && kills < FEWEST_KILLS)) {
            fleet.replace(index);
            kills++;
        } else if (near && pauses > 2 * longPauses) {
            fleet.pause(index, jittered(NearCaches.OPTIONS.nearStaleness()));
            longPauses++;
        } else {
            fleet.pause(index, jittered(HistoryMember.LEASE));
            pauses++;
        }
    }

    private Duration jittered(Duration length) {
        return length.plusMillis(random.nextInt(300));
    }

    private void cut() {
        try (Jedis admin = new Jedis(URI.create(redis))) {
            admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
            cuts++;
        }
    }

    /** Tells how many of each there were. */
    @Override
    public String toString() {
        return "%d kills, %d pauses, %d long ones, subscribers cut %d times".formatted(kills, pauses, longPauses, cuts);
    }
}
