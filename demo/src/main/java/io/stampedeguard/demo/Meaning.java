package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import java.util.List;
import java.util.stream.Collectors;

/** A summary of the figures of a scenario, in one sentence. */
final class Meaning {
    private Meaning() {}

    static String of(Scenario scenario, List<Figures> all, Plan plan) {
        return all.stream()
                .filter(figures -> figures.scenario().equals(scenario.name()))
                .map(figures -> clause(scenario, figures, plan))
                .collect(Collectors.joining("; ", scenario.name() + ": ", "."));
    }

    private static String clause(Scenario scenario, Figures figures, Plan plan) {
        return figures.mode() + ", "
                + switch (figures.mode()) {
                    case PLAIN -> scenario.plainMeaning(figures, plan);
                    case GUARDED -> scenario.guardedMeaning(figures, plan);
                    case GUARDED_NEAR -> scenario.nearMeaning(figures, plan);
                    case GUARDED_FILTER -> scenario.filterMeaning(figures, plan);
                };
    }
}
