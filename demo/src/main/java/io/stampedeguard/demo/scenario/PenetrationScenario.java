package io.stampedeguard.demo.scenario;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.policy.CachePolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Users request products, most of them hot and in the cache. Meanwhile every fourth caller requests nonexistent
 * products, each only once; every fourth of these numbers is negative.
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

    /** A number without a product has no row. */
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
        AtomicInteger nonexistent = new AtomicInteger();
        return caller -> isAttacker(share, caller)
                ? new PacedKeys(
                        share,
                        caller,
                        SHORTEST_PAUSE_OF_ATTACKERS,
                        runMillis,
                        random -> nonexistentKey(share, nonexistent.getAndIncrement()))
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

    /** The nonexistent numbers of the processes are distinct. */
    private static long nonexistentKey(Share share, int number) {
        long key = Catalogue.PRODUCTS + 1L + (long) number * share.plan().processes() + share.index();
        return number % ONE_NEGATIVE_IN == 1 ? -key : key;
    }

    private static int runMillis(Plan plan) {
        return plan.runMillis() / SHARE_OF_A_RUN;
    }

    @Override
    public Mode guard() {
        return Mode.GUARDED_FILTER;
    }

    @Override
    public int expectedMillis(Plan plan) {
        return runMillis(plan);
    }

    @Override
    public Verdict verdict(Plan plan) {
        return Verdict.of(
                "keys without a row",
                figures -> Words.queries(attack(figures).queriesForNothing()),
                "queries at once",
                figures -> "%,d%s"
                        .formatted(
                                figures.maxConcurrentQueries(),
                                figures.mode() == Mode.GUARDED_FILTER ? " (key filter)" : ""));
    }

    private static Figures.Attack attack(Figures figures) {
        return requireNonNull(figures.attack(), "there are no figures of an attack");
    }
}
