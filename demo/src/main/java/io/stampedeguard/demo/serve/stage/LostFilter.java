package io.stampedeguard.demo.serve.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The rebuild of the guarded fleet's key filter after Redis has started empty. A process has to build it. If that fails, the
 * process ends meanwhile, or there is none, the request is repeated. If Redis has started empty again meanwhile, the filter may
 * be lost, and is rebuilt. <em>Thread-safe</em>, except {@link #see}.
 */
final class LostFilter {
    private final Supplier<CompletableFuture<Boolean>> build;
    private final AtomicInteger lost = new AtomicInteger();
    private CompletableFuture<Boolean> building = CompletableFuture.completedFuture(false);
    private int buildingAfter;
    private int builtAfter;

    /** {@code build} requests it from a process, and completes with whether the filter is built; false if that process ends. */
    LostFilter(Supplier<CompletableFuture<Boolean>> build) {
        this.build = build;
    }

    void lost() {
        lost.incrementAndGet();
    }

    /** Takes the next step without blocking. Must be called each second while Redis runs, by one thread. */
    void see() {
        if (!building.isDone()) {
            return;
        }
        if (building.join()) {
            builtAfter = buildingAfter;
        }
        int now = lost.get();
        if (builtAfter != now) {
            buildingAfter = now;
            building = build.get();
        }
    }
}
