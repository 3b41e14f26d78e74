package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.workload.Figures;
import io.stampedeguard.benchmarks.workload.Result;
import io.stampedeguard.benchmarks.workload.Results;
import io.stampedeguard.benchmarks.workload.Site;
import io.stampedeguard.benchmarks.workload.Turn;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.testbed.program.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All rounds of one workload: in each set-up the peers take turns, a round each. */
final class BenchRun {
    private final Site site;
    private final Workload workload;
    private final BenchOptions options;
    private final Progress progress;
    private final List<Result> results = new ArrayList<>();

    BenchRun(Site site, Workload workload, BenchOptions options, Progress progress) {
        this.site = site;
        this.workload = workload;
        this.options = options;
        this.progress = progress;
    }

    Results run() throws InterruptedException {
        for (String config : workload.configs()) {
            run(config, Schedule.of(workload, options.peers(workload), options.effort()));
        }
        progress.clear();
        return new Results(results);
    }

    private void run(String config, List<Schedule.Slot> slots) throws InterruptedException {
        progress.now(workload.name() + " " + config);
        Map<PeerKind, List<Figures>> addends = new LinkedHashMap<>();
        for (int i = 0; i < slots.size(); i++) {
            Schedule.Slot slot = slots.get(i);
            progress.at(i, slots.size(), slot.peer().name());
            Figures figures = workload.round(site, turn(config, slot));
            if (slot.number() >= 1 && workload.addsUp()) {
                addends.computeIfAbsent(slot.peer(), none -> new ArrayList<>()).add(figures);
            } else if (slot.number() >= 1) {
                tell(slot.peer(), config, slot.number(), figures);
            }
        }
        addends.forEach((peer, all) -> tell(peer, config, all.size(), Figures.sum(all)));
    }

    private Turn turn(String config, Schedule.Slot slot) {
        String key = "%s-%s-%d".formatted(workload.name(), config, slot.sinceStart());
        return new Turn(slot.peer(), config, key, options.effort().quick());
    }

    private void tell(PeerKind peer, String config, int round, Figures figures) {
        Result result = new Result(workload.name(), peer.name(), config, round, figures);
        results.add(result);
        if (options.json()) {
            progress.clear();
            System.out.println(JsonLine.of(result));
        }
    }
}
