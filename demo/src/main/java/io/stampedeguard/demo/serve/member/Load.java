package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.origin.Catalogue;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** The steady load, the same for both fleets: the number of callers, their pauses, and their keys. */
public final class Load {
    public static final int PROCESSES = 2;
    public static final int CALLERS = 32;

    /** The number of attackers in each process, which are idle until an attack starts. */
    static final int ATTACKERS = 8;

    static final long HOT = 42;
    /** So long that a key seldom expires by itself while the effect of a button is measured. */
    public static final Duration TTL = Duration.ofMinutes(10);

    /** Each TTL is shorter by a random share up to this one, so that keys that were filled together do not expire together. */
    static final double JITTER = 0.5;

    public static final int ORDER_LINES = 15_000;

    /** The time that the database takes besides the query itself, normally, and when it is slow. */
    public static final int WORK_MILLIS = 200;

    public static final int SLOW_WORK_MILLIS = 2_000;

    private static final int FIRST_OTHER = 101;
    private static final int OTHERS = 60;
    private static final int ONE_OTHER_IN = 4;
    private static final int SHORTEST_PAUSE_MILLIS = 200;
    private static final int LONGEST_PAUSE_MILLIS = 440;
    private static final int ATTACKERS_PAUSE_MILLIS = 100;

    private Load() {}

    public static List<Long> keys() {
        return Stream.concat(
                        Stream.of(HOT),
                        Stream.iterate((long) FIRST_OTHER, key -> key + 1).limit(OTHERS))
                .toList();
    }

    static long key(SplittableRandom random) {
        return random.nextInt(ONE_OTHER_IN) == 0 ? FIRST_OTHER + random.nextInt(OTHERS) : HOT;
    }

    /** Returns one of very many keys without a product. */
    static long nonexistentKey(SplittableRandom random) {
        return random.nextLong(Catalogue.PRODUCTS + 1L, Integer.MAX_VALUE);
    }

    public static Duration shortestTtl() {
        return Duration.ofMillis((long) (TTL.toMillis() * (1 - JITTER)));
    }

    /** Returns a random TTL of the plain cache, distributed like those of the guarded one. */
    static long ttlMillis() {
        return ThreadLocalRandom.current().nextLong(shortestTtl().toMillis(), TTL.toMillis());
    }

    static boolean isNonexistent(long key) {
        return key > Catalogue.PRODUCTS;
    }

    static long pauseMillis(SplittableRandom random) {
        return random.nextInt(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS + 1);
    }

    static long attackersPauseMillis() {
        return ATTACKERS_PAUSE_MILLIS;
    }
}
