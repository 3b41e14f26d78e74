package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Got;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * W9: process A loads an absent key; while it does, process B changes the origin and removes the key. Afterwards both read, a new
 * read every 4 ms on a thread of its own. None of them should see the old value after the end of the load. In variant {@code
 * quiet} there are no reads until 20 ms after the load, so only the late writer can have stored a value.
 */
final class LateWriter extends Workload {
    private static final String PLAIN = "plain";
    private static final String QUIET = "quiet";
    private static final int COUNTED = 500;
    private static final int COUNTED_OF_OTHERS = 100;
    private static final Duration LOAD = Duration.ofMillis(50);
    private static final Duration QUIET_FOR = Duration.ofMillis(20);
    private static final Duration APART = Duration.ofMillis(4);
    private static final Duration READ_UNTIL = LOAD.plusMillis(300);

    private final SplittableRandom random = new SplittableRandom(1);

    LateWriter() {
        super(
                "W9",
                "late writer: a key's origin changes and it is removed in B while A loads it; then both read for 300 ms",
                List.of(PLAIN, QUIET),
                Defaults.USUAL.only(PeerKind::shared).rounds(3, COUNTED_OF_OTHERS, 3));
    }

    @Override
    public Rounds rounds(PeerKind peer, Effort effort) {
        Rounds rounds = super.rounds(peer, effort);
        boolean all = peer.name().equals(Goal.OURS) && effort.equals(new Effort(false, null));
        return all ? new Rounds(rounds.warmUps(), COUNTED) : rounds;
    }

    @Override
    public boolean addsUp() {
        return true;
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        FleetMember a = site.crew().member(0);
        FleetMember b = site.crew().member(1);
        Duration change = Duration.ofMillis(random.nextInt(5, 46));
        Row row = Row.taking(LOAD).changing(change);
        Ask reads = reads(turn, row, turn.config().equals(QUIET) ? LOAD.plus(QUIET_FOR) : change);

        Round round = turn.round();
        int load = round.begin(a, Ask.once(1, turn.key(), row));
        int removal = round.remove(b, turn.key(), change);
        int readsOfA = round.begin(a, reads);
        int readsOfB = round.begin(b, reads);
        long changed = round.release() + change.toNanos() / 1_000;
        return figures(
                round.answers(load), changed, round.awaitRemoval(removal), round.answers(List.of(readsOfA, readsOfB)));
    }

    private static Ask reads(Turn turn, Row row, Duration from) {
        int count = (int) READ_UNTIL.minus(from).dividedBy(APART);
        return Ask.once(count, turn.key(), row).after(from).apart(APART);
    }

    /** A round counts as a race if the load began before the change and ended after the removal had returned. */
    static Figures figures(Answers load, long changed, long removed, Answers reads) {
        boolean race = load.loads() == 1 && load.firstLoadBegan() < changed && load.lastLoadEnded() > removed;
        long judgedFrom = race ? load.lastLoadEnded() : Long.MAX_VALUE;
        boolean stale = reads.reads().anyMatch(read -> read.began() > judgedFrom && read.got() == Got.OLD);
        boolean stillOld = race && last(reads).got() == Got.OLD;
        return Figures.none()
                .with("staleRounds", stale ? 1 : 0)
                .with("stillOldRounds", stillOld ? 1 : 0)
                .with("races", race ? 1 : 0)
                .with("loads", load.loads() + reads.loads())
                .with("errors", load.failures() + reads.failures());
    }

    private static Answers.Read last(Answers reads) {
        return reads.reads().max(Comparator.comparingLong(Answers.Read::began)).orElseThrow();
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.everyRound(PLAIN, "staleRounds", 0),
                Goal.everyRound(PLAIN, "stillOldRounds", 0),
                Goal.everyRound(QUIET, "staleRounds", 0),
                Goal.everyRound(QUIET, "stillOldRounds", 0));
    }
}
