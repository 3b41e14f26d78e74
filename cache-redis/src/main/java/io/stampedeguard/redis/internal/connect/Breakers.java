package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The circuit breakers of a store: one for a single server, one for each master of a cluster. The state of all is the worst
 * one. Its changes are reported one after another, in their order. <em>Thread-safe.</em>
 */
public final class Breakers implements BreakerEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);
    private static final List<BreakerState> FROM_BEST =
            List.of(BreakerState.CLOSED, BreakerState.HALF_OPEN, BreakerState.OPEN);

    private final Map<String, ServerBreaker> all = new ConcurrentHashMap<>();
    private final List<Consumer<BreakerState>> listeners = new CopyOnWriteArrayList<>();
    private final Set<Thread> exempt = ConcurrentHashMap.newKeySet();
    private final SerialExecutor reports = new SerialExecutor();
    final long slowNanos;
    final BackgroundThreads threads;
    final TimeSource time;
    private final Function<String, @Nullable StoreException> refusals;
    private final CallbackLog failures;
    private volatile BreakerState worst = BreakerState.CLOSED;
    volatile boolean isClosed;

    /**
     * Creates the circuit breakers of no server yet; {@code slow} is by how much a slow answer takes longer than the fastest
     * one, {@code refusals} returns the failure of the read of a key that would not be sent.
     */
    public Breakers(
            Duration slow,
            Function<String, @Nullable StoreException> refusals,
            BackgroundThreads threads,
            TimeSource time) {
        this.slowNanos = slow.toNanos();
        this.refusals = refusals;
        this.threads = threads;
        this.time = time;
        this.failures = new CallbackLog(LOG, time);
    }

    /** Returns the circuit breaker of a server, {@code null} if there is none yet. */
    @Nullable
    public ServerBreaker of(String server) {
        return all.get(server);
    }

    /**
     * Returns the circuit breaker of a server, creating it if there is none yet. {@code where} is the address for messages.
     * {@code pingNanos} sends a PING, and returns how long the exchange took, without the wait for a connection; it calls its
     * argument when there is one, or is to be opened, and throws what Jedis throws.
     */
    public ServerBreaker of(String server, String where, ToLongFunction<Runnable> pingNanos) {
        return all.computeIfAbsent(server, each -> new ServerBreaker(this, where, pingNanos));
    }

    @Override
    public BreakerState breaker() {
        return worst;
    }

    /** Names the servers that do not answer, and why. */
    @Override
    public String condition() {
        String of = all.values().stream()
                .filter(each -> each.state() != BreakerState.CLOSED)
                .map(ServerBreaker::condition)
                .sorted()
                .collect(Collectors.joining("; "));
        return of.isEmpty() ? BreakerEvents.super.condition() : of;
    }

    @Override
    public @Nullable StoreException refusal(String key) {
        return worst == BreakerState.CLOSED ? null : refusals.apply(key); // on the path of each hit
    }

    @Override
    public Watch watchBreaker(Consumer<BreakerState> listener) {
        Consumer<BreakerState> mine =
                state -> listener.accept(state); // an object of its own: one listener may watch twice
        listeners.add(mine);
        return () -> listeners.remove(mine);
    }

    @Override
    public void sendRegardless(Runnable requests) {
        exempt.add(Thread.currentThread());
        try {
            requests.run();
        } finally {
            exempt.remove(Thread.currentThread());
        }
    }

    boolean isExempt() {
        return exempt.contains(Thread.currentThread());
    }

    /** Notes that the state of one has changed, to be told by {@link #tell}. */
    synchronized void changed() {
        BreakerState now = all.values().stream()
                .map(ServerBreaker::state)
                .max(Comparator.comparingInt(FROM_BEST::indexOf))
                .orElse(BreakerState.CLOSED);
        if (now != worst) {
            worst = now;
            reports.add(() -> listeners.forEach(listener -> tell(listener, now)));
        }
    }

    /** Tells the listeners what has changed. */
    void tell() {
        reports.makeAll();
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void tell(Consumer<BreakerState> listener, BreakerState state) {
        try {
            listener.accept(state);
        } catch (Throwable e) { // otherwise nobody would be told anything from now on
            failures.add("A listener of the circuit breaker failed", e);
        }
    }

    /** Ends the probes. The states remain. */
    @Override
    public void close() {
        isClosed = true;
    }
}
