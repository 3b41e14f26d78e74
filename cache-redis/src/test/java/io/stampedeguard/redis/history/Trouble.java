package io.stampedeguard.redis.history;

import io.stampedeguard.redis.history.CommonGround.Changes;
import io.stampedeguard.redis.history.Disturbances.Kind;
import java.util.List;
import java.util.Map;

/** The disturbances of the processes of a run, and the minimal number of each. */
enum Trouble {
    NONE(Map.of()),
    KILLS_AND_PAUSES(Map.of(Kind.KILL, 2, Kind.PAUSE, 4)),
    /** Some changes are puts, and each put arrives a second time, or only then, after its caller was answered. */
    LATE_PUTS(Map.of(Kind.KILL, 1, Kind.PAUSE, 2)),
    /** All kinds, but the longest. */
    ONE_OF_EACH(Map.of(Kind.KILL, 1, Kind.PAUSE, 1, Kind.CUT, 1)),
    /**
     * The connections of their invalidation feeds are cut, too, and they are stopped for longer than the bound of near
     * caches.
     */
    CUTS_AS_WELL(Map.of(Kind.KILL, 2, Kind.PAUSE, 2, Kind.LONG_PAUSE, 3, Kind.CUT, 6)),
    /** Redis ends as well, and comes back with all that it promised to keep, or empty. */
    RESTARTS(Map.of(Kind.KILL, 1, Kind.PAUSE, 1, Kind.OUTAGE, 3)),
    /**
     * What comes back has lost the latest changes. Each change is one of all entries, or of all with a tag: others are not promised
     * then. A later change of one kind hides what became of those of the other, so some outages lose changes of one kind, and nothing
     * is changed for a while after them.
     */
    LOSSES(Map.of(Kind.KILL, 1, Kind.PAUSE, 1, Kind.OUTAGE, 6)),
    /** The same once, by a failover. */
    FAILOVER(Map.of(Kind.KILL, 1, Kind.PAUSE, 1, Kind.OUTAGE, 1));

    private static final List<Changes> LOST = List.of(Changes.ALL, Changes.ONLY_OF_ALL_ENTRIES, Changes.ONLY_OF_TAGS);

    private final Map<Kind, Integer> fewest;

    Trouble(Map<Kind, Integer> fewest) {
        this.fewest = fewest;
    }

    /** Returns whether Redis loses changes that it had answered. */
    boolean losesChanges() {
        return this == LOSSES || this == FAILOVER;
    }

    /** Returns which changes are lost by an outage, counted from 0. */
    Changes lostIn(int outage) {
        return this == LOSSES ? LOST.get(outage % LOST.size()) : Changes.ALL;
    }

    /** Returns whether Redis remembers each change, and grants leases, all the time. */
    boolean isWithoutOutages() {
        return fewest(Kind.OUTAGE) == 0;
    }

    int fewest(Kind kind) {
        return fewest.getOrDefault(kind, 0);
    }
}
