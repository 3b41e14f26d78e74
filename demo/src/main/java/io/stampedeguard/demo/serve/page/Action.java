package io.stampedeguard.demo.serve.page;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The actions of the buttons. A toggle button sends the wanted state, since its label may be a second old, and others press it.
 */
public enum Action {
    EXPIRE_HOT,
    EXPIRE_ALL,
    SEND_NONEXISTENT_KEYS,
    SLOW_DATABASE,
    QUICK_DATABASE,
    KILL_PROCESS,
    STOP_REDIS,
    START_REDIS;

    /** Returns the name in requests, such as {@code expire-hot}. */
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
