package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Count;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The actions of the buttons. A toggle button sends the wanted state, since its label may be a second old, and others press it.
 */
public enum Action {
    EXPIRE_HOT("Expire the hot key", Count.HOT_QUERIES, 4),
    EXPIRE_ALL("Expire all keys", Count.QUERIES, 4),
    SEND_NONEXISTENT_KEYS("Nonexistent keys", Count.NONEXISTENT_QUERIES, 7),
    SLOW_DATABASE("Slow database", Count.QUERIES, 5),
    QUICK_DATABASE("Fast database", Count.QUERIES, 5),
    KILL_PROCESS("Kill a process", Count.HOT_QUERIES, 8),
    STOP_REDIS("Stop Redis", Count.QUERIES, 8),
    START_REDIS("Start Redis", Count.QUERIES, 8),
    NEAR_CACHE_OFF("Near cache off", Count.QUERIES, 0),
    NEAR_CACHE_ON("Near cache on", Count.QUERIES, 0);

    private final String button;
    private final Count queries;
    private final int seconds;

    Action(String button, Count queries, int seconds) {
        this.button = button;
        this.queries = queries;
        this.seconds = seconds;
    }

    /** Returns the name of the button, with which the page shows its effect. */
    String button() {
        return button;
    }

    /** Returns the queries that are its effect. */
    Count queries() {
        return queries;
    }

    /** Returns how long its effect is measured. */
    int seconds() {
        return seconds;
    }

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
