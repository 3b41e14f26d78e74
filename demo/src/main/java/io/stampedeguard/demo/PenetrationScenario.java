package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Attack;
import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.policy.CachePolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * While users ask for products, most of them hot and in the cache, every fourth caller asks for numbers that no product has,
 * each only once; every fourth of these is negative.
 */
final class PenetrationScenario implements Scenario {
    static final String NAME = "penetration";

    private static final int SHARE_OF_A_RUN = 3;
    private static final int HOT = 400;
    private static final int ONE_COLD_IN = 30;
    private static final int ONE_ATTACKER_IN = 4;
    private static final int ONE_NEGATIVE_IN = 4;
    private static final int SHORTEST_PAUSE_OF_USERS = 100;
    private static final int SHORTEST_PAUSE_OF_ATTACKERS = 25;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Mode> modes() {
        return List.of(Mode.PLAIN, Mode.GUARDED, Mode.GUARDED_FILTER);
    }

    @Override
    public boolean attacks() {
        return true;
    }

    @Override
    public CachePolicy policy(Plan plan) {
        return DemoPolicy.withSoftTtl(Duration.ofMinutes(5)).build();
    }

    /** A number that no product has stands for none. */
    @Override
    public int productFor(long key) {
        return Math.toIntExact(key);
    }

    @Override
    public void fill(Share share) throws SQLException {
        int from = share.index() * HOT / share.plan().processes() + 1;
        int to = (share.index() + 1) * HOT / share.plan().processes();
        share.origin().readAll(read(), from, to, share.products()::put);
        if (share.index() == 0) {
            share.products().buildFilter(() -> share.origin().numbers());
        }
    }

    @Override
    public PhaseWatch watch(Share share) {
        return new AttackWatch(share, runMillis(share.plan()));
    }

    @Override
    public CallerScript script(Share share) {
        int runMillis = runMillis(share.plan());
        AtomicInteger madeUp = new AtomicInteger();
        return caller -> isAttacker(share, caller)
                ? new PacedKeys(
                        share,
                        caller,
                        SHORTEST_PAUSE_OF_ATTACKERS,
                        runMillis,
                        random -> madeUpKey(share, madeUp.getAndIncrement()))
                : new PacedKeys(share, caller, SHORTEST_PAUSE_OF_USERS, runMillis, PenetrationScenario::productOf);
    }

    private static boolean isAttacker(Share share, int caller) {
        return (share.index() * share.plan().callers() + caller) % ONE_ATTACKER_IN == 1;
    }

    private static long productOf(SplittableRandom random) {
        return random.nextInt(ONE_COLD_IN) == 0
                ? random.nextInt(HOT + 1, Catalogue.PRODUCTS + 1)
                : random.nextInt(1, HOT + 1);
    }

    /** No two processes make up the same one. */
    private static long madeUpKey(Share share, int number) {
        long key = Catalogue.PRODUCTS + 1L + (long) number * share.plan().processes() + share.index();
        return number % ONE_NEGATIVE_IN == 1 ? -key : key;
    }

    private static int runMillis(Plan plan) {
        return plan.runMillis() / SHARE_OF_A_RUN;
    }

    @Override
    public String plainMeaning(Figures plain, Plan plan) {
        return "%,d gets for products that do not exist sent %,d of %s to the database; 99 users in 100 waited up to %s"
                .formatted(
                        attack(plain).madeUpGets(),
                        attack(plain).queriesForNothing(),
                        Words.queries(plain.queries().size()),
                        p99OfUsers(plain));
    }

    @Override
    public String guardedMeaning(Figures guarded, Plan plan) {
        return ("that there is none is remembered, which does not help as no number comes twice: %,d of %s, and %,d entries"
                        + " in Redis; users waited up to %s")
                .formatted(
                        attack(guarded).queriesForNothing(),
                        Words.queries(guarded.queries().size()),
                        attack(guarded).madeUpKeysInRedis(),
                        p99OfUsers(guarded));
    }

    @Override
    public String filterMeaning(Figures filtered, Plan plan) {
        Attack attack = attack(filtered);
        return ("of %,d made-up gets %,d reached the database, and Redis has %,d entries; users waited up to %s, %,d answers"
                        + " were wrong; %,d products came into being meanwhile, and the other processes found them at once"
                        + " (%,d times, %,d missed)")
                .formatted(
                        attack.madeUpGets(),
                        attack.queriesForNothing(),
                        attack.madeUpKeysInRedis(),
                        p99OfUsers(filtered),
                        attack.wrongAnswers(),
                        attack.rows(),
                        attack.rowsFound(),
                        attack.rowsMissed());
    }

    private static String p99OfUsers(Figures figures) {
        return Words.p99(attack(figures).users());
    }

    private static Attack attack(Figures figures) {
        Attack attack = figures.attack();
        if (attack == null) {
            throw new IllegalStateException("nobody made up keys");
        }
        return attack;
    }
}
