package io.stampedeguard.loader;

import java.util.function.UnaryOperator;

/**
 * Carries the context of a caller to the thread on which a loader runs for it: what code finds through its thread, such as the
 * logging context (MDC), the span of a trace, or the user. With Micrometer's context propagation:
 * <pre>{@code
 * ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();
 * builder.contextCarrier(() -> snapshots.captureAll()::wrap);
 * }</pre>
 *
 * <p>For the logging context alone, without that library:
 * <pre>{@code
 * builder.contextCarrier(() -> {
 *     Map<String, String> callers = MDC.getCopyOfContextMap();  // on the caller's thread; null if there is none
 *     return load -> () -> {                                    // on the thread of the load
 *         Map<String, String> before = MDC.getCopyOfContextMap();
 *         MDC.setContextMap(callers == null ? Map.of() : callers);
 *         try {
 *             load.run();
 *         } finally {
 *             MDC.setContextMap(before == null ? Map.of() : before);
 *         }
 *     };
 * });
 * }</pre>
 *
 * <p>A loader on its caller's thread needs no carrier. The context is captured, on the caller's thread, when
 * <ul>
 *   <li>a call of any form queues a reload in the background;
 *   <li>a {@code refresh} or {@code getNotOlderThanAsync} begins, or a {@code getAsync} or {@code getAllAsync} that the near cache does
 *       not answer: it may have to load;
 *   <li>a load that has no context yet is handed to the {@code loaderExecutor}.
 * </ul>
 *
 * <p>Callers share loads, and each load runs in one context: that of the caller who leads it, or whose read has queued the reload.
 * A prefetch loads in the context of its caller. If a loader gathers the keys of several callers, the context is that of the one
 * on whose behalf it is invoked. So the context may serve to log, trace, and authenticate, but must not decide what is loaded: what
 * a value depends on, such as the tenant, belongs in its key.
 *
 * <p>The context is that of the loader only: not of what the stage of an {@link AsyncLoader} does on other threads, nor of codecs,
 * which run on any thread. If a carrier, or a function or task of it, throws, that is logged, and counted as a fault of the source
 * {@link io.stampedeguard.event.FaultSource#LOADER}; a load that has not begun by then begins without the context.
 * Carriers are <em>thread-safe</em>.
 */
@FunctionalInterface
public interface ContextCarrier {
    /**
     * Captures the context of this thread, whose caller waits for that.
     *
     * @return a function that wraps a load: its result, run on the thread of the load, sets the context, runs the load on the same
     *     thread, and restores what was there before. It may be called any number of times, also by several threads at once
     */
    UnaryOperator<Runnable> capture();
}
