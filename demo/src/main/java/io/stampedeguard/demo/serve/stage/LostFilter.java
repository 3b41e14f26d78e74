package io.stampedeguard.demo.serve.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Sees to it that the guarded fleet has its key filter again after Redis began empty:
 *
 * <ol>
 *   <li>A process is asked to build it.
 *   <li>If that fails, or the process ends meanwhile, or there is none, one is asked again.
 *   <li>If Redis has begun empty once more meanwhile, what was built may be gone, and is built again.
 * </ol>
 *
 * <em>Thread-safe</em> but for {@link #see}.
 */
final class LostFilter {
    private final Supplier<CompletableFuture<Boolean>> build;
    private final AtomicInteger lost = new AtomicInteger();
    private CompletableFuture<Boolean> building = CompletableFuture.completedFuture(false);
    private int buildingAfter;
    private int builtAfter;

    /** {@code build} asks a process, and tells in the end whether it is built; not if that process ends. */
    LostFilter(Supplier<CompletableFuture<Boolean>> build) {
        this.build = build;
    }

    /** Redis has begun empty. */
    void lost() {
        lost.incrementAndGet();
    }

    /** Does what there is to do now, and waits for nothing. To be called each second while Redis runs, by one thread. */
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
