package io.stampedeguard.demo;

import java.util.List;

/** The scenarios, in the order in which they run. */
final class Scenarios {
    static final List<Scenario> ALL = List.of(
            new ColdScenario(),
            new ExpiryScenario(),
            new AvalancheScenario(),
            new ReplayScenario(),
            new CrashScenario(),
            new PenetrationScenario());

    private Scenarios() {}

    static List<String> names() {
        return ALL.stream().map(Scenario::name).toList();
    }

    static Scenario named(String name) {
        return ALL.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no scenario '" + name + "': there are " + String.join(", ", names())));
    }
}
