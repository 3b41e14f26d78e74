package io.stampedeguard.demo.scenario;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.testbed.fleet.Message;
import org.jspecify.annotations.Nullable;

/** An observer of a process' answers in a phase, which also runs a scenario's work beside the callers. <em>Thread-safe.</em> */
public interface PhaseWatch {
    /** Checks a caller's answer; throws if it is wrong, which counts as an error. */
    void answered(long key, @Nullable String product, long nanos);

    /** Called when the callers are about to be released, with the instant, in microseconds since the epoch. */
    default void released(long micros) {}

    /** Ends the work beside the callers, which are done, and adds the observations to the process' message. */
    default Message ended(Message done) throws InterruptedException {
        return done;
    }

    /** Returns the observer for scenarios in which every key has a product. */
    static PhaseWatch forProducts() {
        return (key, product, nanos) -> requireNonNull(product, "every key has a product");
    }
}
