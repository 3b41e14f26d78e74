package io.stampedeguard.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What happens to a simulated fleet. */
enum Scenario {
    COLD("a key is absent, and all callers of all processes read it at one instant; five times", 0, false),
    EXPIRY("one hot key expires again and again under steady traffic", 1, false),
    ZIPF("steady traffic on many keys of which few are popular (Zipf, exponent 1)", 1, true),
    RESTART("all processes and Redis start empty, under the traffic of zipf", 0, true);

    private final String about;
    private final int warmUpTtls;
    private final boolean manyKeys;

    Scenario(String about, int warmUpTtls, boolean manyKeys) {
        this.about = about;
        this.warmUpTtls = warmUpTtls;
        this.manyKeys = manyKeys;
    }

    /** Returns the name in options and results. */
    String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    String about() {
        return about;
    }

    /** Returns for how many TTLs the fleet runs before anything is counted. */
    int warmUpTtls() {
        return warmUpTtls;
    }

    boolean hasManyKeys() {
        return manyKeys;
    }

    static List<String> options() {
        return Arrays.stream(values()).map(Scenario::option).toList();
    }

    static @Nullable Scenario of(String option) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.option().equals(option))
                .findFirst()
                .orElse(null);
    }
}
