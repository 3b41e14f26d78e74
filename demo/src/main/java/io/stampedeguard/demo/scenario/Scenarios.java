package io.stampedeguard.demo.scenario;

import java.util.List;

/** The scenarios, in the order in which they run. */
public final class Scenarios {
    public static final List<Scenario> ALL = List.of(
            new ColdScenario(),
            new ExpiryScenario(),
            new AvalancheScenario(),
            new ReplayScenario(),
            new CrashScenario(),
            new PenetrationScenario(),
            new OutageScenario());

    private Scenarios() {}

    public static List<String> names() {
        return ALL.stream().map(Scenario::name).toList();
    }

    public static Scenario named(String name) {
        return ALL.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no scenario '" + name + "': there are " + String.join(", ", names())));
    }
}
