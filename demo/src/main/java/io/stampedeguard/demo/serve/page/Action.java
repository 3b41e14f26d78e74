package io.stampedeguard.demo.serve.page;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What the buttons do. One that switches something there and back sends what is wanted, not that it be changed: what it
 * says may be a second old, and others press it too.
 */
public enum Action {
    EXPIRE_HOT,
    EXPIRE_ALL,
    MAKE_KEYS_UP,
    SLOW_DATABASE,
    QUICK_DATABASE,
    KILL_PROCESS,
    STOP_REDIS,
    START_REDIS;

    /** Returns the name as it is sent: {@code expire-hot}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<Action> named(String name) {
        return Arrays.stream(values())
                .filter(action -> action.toString().equals(name))
                .findFirst();
    }
}
