package io.stampedeguard.simulation;

import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.Objects;

/** A setting, and what came of it. <em>Immutable.</em> */
record Run(Setting setting, Figures figures) {
    private static final int PLACES = 3;
    private static final int NANOS_PER_MICRO = 1_000;

    double figure(String name) {
        return Objects.requireNonNull(figures.values().get(name), name).doubleValue();
    }

    /** Returns the run as one JSON object on one line. */
    String toJson() {
        JsonObject line = new JsonObject()
                .text("scenario", setting.scenario().option())
                .number("processes", setting.processes())
                .number("keys", setting.keys())
                .number("seed", setting.seed())
                .number("callers", setting.callers())
                .number("reads", setting.reads())
                .millis("ttlMs", setting.ttl())
                .millis("loadMs", setting.load())
                .number("roundTripMicros", setting.roundTrip().toNanos() / NANOS_PER_MICRO);
        JsonObject figuresOfRun = new JsonObject();
        figures.values().forEach((name, number) -> {
            if (number instanceof Long whole) {
                figuresOfRun.number(name, whole);
            } else {
                figuresOfRun.rounded(name, number.doubleValue(), PLACES);
            }
        });
        return line.object("figures", figuresOfRun).toString();
    }
}
