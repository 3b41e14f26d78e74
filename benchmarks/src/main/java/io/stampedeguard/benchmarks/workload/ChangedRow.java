package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Change;
import io.stampedeguard.benchmarks.crew.Got;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import java.util.ArrayList;
import java.util.List;

/**
 * W18: a removal, or a clear, has happened when it returns. For one key after another:
 *
 * <ol>
 *   <li>Process A reads the key, and goes on reading it.
 *   <li>Process B reads it, changes its row, removes it or clears the cache, and reads it again on the same thread.
 *   <li>Once B has reported that, A reads it a last time.
 * </ol>
 */
final class ChangedRow extends Workload {
    private static final String REMOVE = "remove";
    private static final String CLEAR = "clear";
    private static final int KEYS = 1_000;
    private static final int QUICK_KEYS = 20;

    ChangedRow() {
        super(
                "W18",
                "read after a removal or clear: B changes a row, removes its key, and reads it, while A reads it",
                List.of(REMOVE, CLEAR),
                Defaults.USUAL.only(PeerKind::shared).rounds(0, 1, 1));
    }

    @Override
    public Figures round(Site site, Turn turn) throws InterruptedException {
        site.emptyRedis();
        FleetMember a = site.crew().member(0);
        FleetMember b = site.crew().member(1);
        Change.Part part = turn.config().equals(CLEAR) ? Change.Part.CLEAR : Change.Part.REMOVE;
        int keys = turn.quick() ? QUICK_KEYS : KEYS;
        List<Figures> ofKeys = new ArrayList<>(keys);
        for (int i = 0; i < keys; i++) {
            String key = turn.key() + "-" + i;
            Round round = turn.round();
            int watch = round.begin(a, new Change(key, Change.Part.WATCH));
            int change = round.begin(b, new Change(key, part));
            round.release();
            ofKeys.add(figures(round.answers(change), round.answers(watch)));
        }
        return Figures.sum(ofKeys);
    }

    /** By the time B's last read begins, the call that removes has returned; only reads that begin later can be stale. */
    static Figures figures(Answers own, Answers other) {
        List<Answers.Read> reads = own.reads().toList();
        Answers.Read before = reads.get(0);
        Answers.Read after = reads.get(1);
        Answers.Read lastOld = other.reads().findFirst().orElseThrow();
        boolean bothHadIt = before.got() == Got.OLD && lastOld.got() == Got.OLD;
        boolean staleOther = lastOld.got() == Got.OLD && lastOld.began() > after.began();
        return Figures.none()
                .with("changes", bothHadIt ? 1 : 0)
                .with("staleOwn", after.got() == Got.OLD ? 1 : 0)
                .with("staleOther", staleOther ? 1 : 0)
                .with("loads", own.loads() + other.loads())
                .with("errors", own.failures() + other.failures());
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.everyRound(REMOVE, "staleOwn", 0),
                Goal.everyRound(REMOVE, "staleOther", 0),
                Goal.everyRound(CLEAR, "staleOwn", 0),
                Goal.everyRound(CLEAR, "staleOther", 0));
    }
}
