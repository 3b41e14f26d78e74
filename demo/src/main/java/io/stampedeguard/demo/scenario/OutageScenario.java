package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.measure.Latencies;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Redis is killed for some seconds under steady load on products that all processes know, and started again, empty. It is a Redis
 * of its own, also if another one was given.
 */
public final class OutageScenario implements Scenario {
    private static final int KEYS = 200;
    private static final int SHORTEST_PAUSE_MILLIS = 25;
    private static final int FEWEST_SECONDS = 3;
    private static final double STOPS_AT = 0.3;
    private static final double STARTS_AT = 0.7;

    @Override
    public String name() {
        return "outage";
    }

    @Override
    public List<Mode> modes() {
        return List.of(Mode.PLAIN, Mode.GUARDED_NEAR);
    }

    @Override
    public boolean stopsRedis() {
        return true;
    }

    /** Returns the length of the run, in seconds. */
    public static int seconds(Plan plan) {
        return (int) Math.max(FEWEST_SECONDS, TimeUnit.MILLISECONDS.toSeconds(plan.runMillis()));
    }

    /** Returns the second at whose beginning Redis is killed, from 0. */
    public static int stops(Plan plan) {
        return (int) Math.max(1, STOPS_AT * seconds(plan));
    }

    /** Returns the second at whose beginning Redis is started again. */
    public static int starts(Plan plan) {
        return (int) Math.max(stops(plan) + 1, STARTS_AT * seconds(plan));
    }

    @Override
    public CachePolicy policy(Plan plan) {
        return DemoPolicy.withSoftTtl(Duration.ofMinutes(5)).build();
    }

    @Override
    public void fill(Share share) throws SQLException {
        if (share.index() == 0) {
            share.origin().readAll(read(), 1, KEYS, share.products()::put);
        }
    }

    @Override
    public CallerScript script(Share share) {
        int runMillis = (int) TimeUnit.SECONDS.toMillis(seconds(share.plan()));
        return caller ->
                new PacedKeys(share, caller, SHORTEST_PAUSE_MILLIS, runMillis, random -> random.nextInt(1, KEYS + 1));
    }

    @Override
    public PhaseWatch watch(Share share) {
        return new OutageWatch(seconds(share.plan()));
    }

    @Override
    public Mode guard() {
        return Mode.GUARDED_NEAR;
    }

    @Override
    public int expectedMillis(Plan plan) {
        return (int) TimeUnit.SECONDS.toMillis(seconds(plan));
    }

    /** Both figures are those of the seconds without Redis. */
    @Override
    public Verdict verdict(Plan plan) {
        int stops = stops(plan);
        int starts = starts(plan);
        return Verdict.of(
                "Redis is killed, %d s".formatted(starts - stops),
                figures -> Words.queries(
                        IntStream.range(stops, starts).map(figures::queriesIn).sum()),
                "answers a second",
                figures -> "%,d%s"
                        .formatted(
                                perSecond(figures, stops, starts),
                                figures.mode() == Mode.GUARDED_NEAR ? " (near cache)" : ""));
    }

    private static long perSecond(Figures figures, int from, int to) {
        return figures.seconds().subList(from, to).stream()
                        .mapToLong(Latencies::count)
                        .sum()
                / (to - from);
    }
}
