package io.stampedeguard.demo.scenario;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.testbed.fleet.Message;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each answer in a process in a phase, and does there what a scenario needs done beside the callers.
 * <em>Thread-safe.</em>
 */
public interface PhaseWatch {
    /** A caller has its answer; throws if the answer is wrong, which counts as an error. */
    void answered(long key, @Nullable String product, long nanos);

    /** The callers are released. */
    default void released() {}

    /** Ends what goes on beside the callers, who are done, and adds what has been seen to what the process is to tell. */
    default Message ended(Message done) throws InterruptedException {
        return done;
    }

    /** For scenarios in which every key has a product. */
    static PhaseWatch forProducts() {
        return (key, product, nanos) -> requireNonNull(product, "every key has a product");
    }
}
