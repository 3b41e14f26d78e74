package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The number of calls that waited for a load, their own or that of another caller, if the peer reports it.
 * <em>Thread-safe.</em>
 */
final class Waits {
    private static final String UNKNOWN = "unknown";

    private final LongAdder calls = new LongAdder();
    private volatile boolean unknown;

    void addOwnLoad() {
        calls.increment();
    }

    /** Adds a peer's number of calls that waited for another caller. */
    void addOthers(OptionalLong before, OptionalLong after) {
        if (before.isPresent() && after.isPresent()) {
            calls.add(after.getAsLong() - before.getAsLong());
        } else {
            unknown = true;
        }
    }

    void addAll(Message message) {
        String told = message.text("waits");
        if (told.equals(UNKNOWN)) {
            unknown = true;
        } else {
            calls.add(Long.parseLong(told));
        }
    }

    Message in(Message message) {
        return message.with("waits", unknown ? UNKNOWN : calls);
    }

    OptionalLong count() {
        return unknown ? OptionalLong.empty() : OptionalLong.of(calls.sum());
    }
}
