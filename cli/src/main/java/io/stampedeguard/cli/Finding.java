package io.stampedeguard.cli;

/**
 * The result of one check of {@code ./stampede doctor}. An advice states what is wrong and what to change; unknown is what the
 * server does not report. <em>Immutable.</em>
 */
record Finding(State state, String text) {
    enum State {
        OK,
        ADVICE,
        UNKNOWN
    }

    static Finding ok(String text) {
        return new Finding(State.OK, text);
    }

    static Finding advice(String text) {
        return new Finding(State.ADVICE, text);
    }

    static Finding unknown(String text) {
        return new Finding(State.UNKNOWN, text);
    }
}
