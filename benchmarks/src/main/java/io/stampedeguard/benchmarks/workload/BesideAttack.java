package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Series;
import io.stampedeguard.benchmarks.crew.Tally;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * W13: 4 JVMs × 4 real users read 1,000 keys that are in Redis. They are alone ({@code quiet}), beside as many
 * attackers who request distinct nonexistent keys ({@code attack}), or beside as many other real users ({@code crowd}).
 * Each thread sends one request in each 10 ms, at a random instant, however long the answers take.
 */
final class BesideAttack extends Workload {
    private static final String QUIET = "quiet";
    private static final String ATTACK = "attack";
    private static final String CROWD = "crowd";
    private static final int PROCESSES = 4;
    private static final int THREADS = 4;
    private static final int WARM_KEYS = 1_000;
    private static final int NONEXISTENT_WARM_KEYS = 2_000;
    private static final int QUICK_NONEXISTENT_WARM_KEYS = 200;
    private static final int REAL_KEYS = 100_000;
    private static final int QUICK_REAL_KEYS = 10_000;
    private static final int CALLS = 800;
    private static final int QUICK_CALLS = 100;
    private static final Duration EVERY = Duration.ofMillis(10);
    private static final Duration LOAD = Duration.ofMillis(2);

    BesideAttack() {
        super(
                "W13",
                "real users beside an attack: 4 JVM × 4 users read 1,000 warm keys, alone, beside 4 × 4 attackers, and beside 4 × 4 more users",
                List.of(QUIET, ATTACK, CROWD),
                Defaults.of(Goal.OURS, Peers.FILTERED, "cache-aside")
                        .only(PeerKind::readsRedis)
                        .rounds(1, 7, 1));
    }

    @Override
    public boolean configsTakeTurns() {
        return true;
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        Scene scene = new Scene(site.members(PROCESSES), turn);
        site.emptyRedis();
        scene.know();
        for (FleetMember member : scene.members()) {
            scene.warmUp(member);
        }
        return switch (turn.config()) {
            case ATTACK -> scene.attack();
            case CROWD -> scene.crowd();
            default -> scene.quiet();
        };
    }

    /** The work of a round, with the processes that do it. */
    private record Scene(List<FleetMember> members, Turn turn) {
        private String realKeys() {
            return turn.key() + "-real";
        }

        void know() throws InterruptedException {
            round().know(members.get(0), realKeys(), realCount());
        }

        /** The first process fills the cache; each runs all code paths of an attack once, so that they are warm. */
        void warmUp(FleetMember member) throws InterruptedException {
            warmUp(member, Series.existing(realKeys(), WARM_KEYS));
            warmUp(
                    member,
                    Series.nonexistent(
                            "%s-warm-%d".formatted(turn.key(), members.indexOf(member)),
                            turn.quick() ? QUICK_NONEXISTENT_WARM_KEYS : NONEXISTENT_WARM_KEYS));
        }

        private void warmUp(FleetMember member, Series series) throws InterruptedException {
            round().run(member, series.by(2 * THREADS));
        }

        Figures quiet() throws InterruptedException {
            Round round = round();
            List<Integer> users = round.begin(members, users());
            round.release();
            return figures(round.tally(users), new Tally());
        }

        Figures attack() throws InterruptedException {
            Round round = round();
            List<Integer> users = round.begin(members, users());
            List<Integer> attackers = new ArrayList<>();
            for (int i = 0; i < members.size(); i++) {
                attackers.add(round.begin(members.get(i), nonexistent(i)));
            }
            round.release();
            return figures(round.tally(users), round.tally(attackers));
        }

        Figures crowd() throws InterruptedException {
            Round round = round();
            List<Integer> users = round.begin(members, users());
            List<Integer> others = round.begin(members, users());
            round.release();
            Figures figures = figures(round.tally(users), new Tally());
            round.tally(others);
            return figures;
        }

        private Series users() {
            return Series.existing(realKeys(), WARM_KEYS).by(THREADS).paced(calls(), EVERY);
        }

        private Series nonexistent(int process) {
            return Series.nonexistent("%s-none-%d".formatted(turn.key(), process), THREADS * calls())
                    .by(THREADS)
                    .paced(calls(), EVERY)
                    .loading(LOAD);
        }

        private int calls() {
            return turn.quick() ? QUICK_CALLS : CALLS;
        }

        private int realCount() {
            return turn.quick() ? QUICK_REAL_KEYS : REAL_KEYS;
        }

        private Round round() {
            return turn.round(PeerOptions.usual().filtering(realCount()));
        }
    }

    /** A load or an absence for a real user counts as an error: in quiet times users get neither. */
    static Figures figures(Tally users, Tally attackers) {
        return Figures.none()
                .withMillis("p50Ms", users.latencies().millisAt(50))
                .withMillis("p99Ms", users.latencies().millisAt(99))
                .with("gets", users.latencies().count())
                .with("nonexistentKeys", attackers.latencies().count())
                .with("loads", attackers.loads())
                .with("errors", users.absent() + users.loads() + users.failures() + attackers.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ratioToConfig(ATTACK, "p99Ms", QUIET, 1.2).of(Peers.FILTERED),
                Goal.ratioToConfig(ATTACK, "p99Ms", CROWD, 1.2).of(Peers.FILTERED));
    }
}
