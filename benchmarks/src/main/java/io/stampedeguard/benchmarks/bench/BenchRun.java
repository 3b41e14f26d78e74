package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.benchmarks.workload.Site;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.program.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * All rounds of one workload: in each set-up the peers alternate, with a round each, or with one in each set-up. If a round of a
 * peer from another module fails, that peer has no further rounds in this set-up, and the reason is shown; a failure of a peer that
 * is built in ends the run.
 */
final class BenchRun {
    private final Site site;
    private final Workload workload;
    private final BenchOptions options;
    private final Progress progress;
    private final Consumer<String> lines;
    private final List<Result> results = new ArrayList<>();
    private final Map<Results.Place, List<Figures>> addends = new LinkedHashMap<>();
    private final Map<Results.Place, String> failures = new LinkedHashMap<>();
    private final Map<Results.Place, List<Second>> seconds = new LinkedHashMap<>();

    /** Each round, and each second of it, is also a line of JSON for {@code lines}. */
    BenchRun(Site site, Workload workload, BenchOptions options, Progress progress, Consumer<String> lines) {
        this.site = site;
        this.workload = workload;
        this.options = options;
        this.progress = progress;
        this.lines = lines;
    }

    Results run() throws InterruptedException {
        List<Schedule.Slot> slots = Schedule.of(workload, options.peers(workload), options.effort());
        if (workload.configsTakeTurns()) {
            run(workload.configs(), slots);
        } else {
            for (String config : workload.configs()) {
                run(List.of(config), slots);
            }
        }
        progress.clear();
        return new Results(results, failures, seconds);
    }

    private void run(List<String> configs, List<Schedule.Slot> slots) throws InterruptedException {
        progress.now(workload.name() + " " + String.join(", ", configs));
        for (int i = 0; i < slots.size(); i++) {
            progress.at(i, slots.size(), slots.get(i).peer().name());
            for (String config : configs) {
                run(config, slots.get(i));
            }
        }
        addends.forEach((place, all) -> tell(place, all.size(), Figures.sum(all)));
        addends.clear();
    }

    private void run(String config, Schedule.Slot slot) throws InterruptedException {
        Results.Place place = new Results.Place(slot.peer().name(), config);
        if (failures.containsKey(place) || !workload.suits(slot.peer(), config)) {
            return;
        }
        try {
            add(place, slot, workload.round(site, turn(place, slot)));
        } catch (IllegalStateException e) {
            if (Peers.moduleOf(place.peer()) == null) {
                throw e;
            }
            fail(
                    place,
                    slot,
                    Objects.requireNonNullElse(e.getMessage(), e.toString()).replaceAll("\\s+", " "));
        }
    }

    private void add(Results.Place place, Schedule.Slot slot, Figures figures) {
        if (slot.number() >= 1 && workload.addsUp()) {
            addends.computeIfAbsent(place, none -> new ArrayList<>()).add(figures);
        } else if (slot.number() >= 1) {
            tell(place, slot.number(), figures);
        }
    }

    private void fail(Results.Place place, Schedule.Slot slot, String reason) throws InterruptedException {
        failures.put(place, reason);
        lines.accept(JsonLine.failed(workload.name(), place, slot.number(), reason));
        site.renew();
    }

    private Workload.Turn turn(Results.Place place, Schedule.Slot slot) {
        String key = "%s-%s-%d".formatted(workload.name(), place.config(), slot.sinceStart());
        return new Workload.Turn(
                slot.peer(),
                place.config(),
                key,
                options.effort().quick(),
                second -> tell(place, slot.number(), second),
                options.trace());
    }

    /** Single seconds are for diagrams: the tables do not have them. */
    private void tell(Results.Place place, int round, Second second) {
        if (round >= 1) {
            if (second.number() == 0) {
                seconds.put(place, new ArrayList<>());
            }
            seconds.computeIfAbsent(place, none -> new ArrayList<>()).add(second);
            Result result = new Result(workload.name(), place.peer(), place.config(), round, second.figures());
            lines.accept(JsonLine.of(result, second));
        }
    }

    private void tell(Results.Place place, int round, Figures figures) {
        Result result = new Result(workload.name(), place.peer(), place.config(), round, figures);
        results.add(result);
        lines.accept(JsonLine.of(result));
    }
}
