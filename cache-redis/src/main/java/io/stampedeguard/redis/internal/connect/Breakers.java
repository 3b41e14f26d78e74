package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.RequiredJar;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.connect.StoreBreaker.Probe;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The circuit breakers of a store: one for a single server, one for each master of a cluster. The state of all is the worst one.
 * Its changes are reported one after another, in their order. <em>Thread-safe.</em>
 */
public final class Breakers implements BreakerEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final Map<String, StoreBreaker> all = new ConcurrentHashMap<>();
    private final List<Consumer<BreakerState>> listeners = new CopyOnWriteArrayList<>();
    private final Set<Thread> exempt = ConcurrentHashMap.newKeySet();
    private final Queue<BreakerState> untold = new ConcurrentLinkedQueue<>();
    private final AtomicInteger telling = new AtomicInteger();
    private final Duration slow;
    private final Function<String, @Nullable StoreException> refusals;
    private final BackgroundThreads threads;
    private final TimeSource time;
    private final CallbackLog failures;
    private volatile BreakerState worst = BreakerState.CLOSED;
    private volatile boolean closed;

    /** Throws an {@link IllegalStateException} if there are to be circuit breakers, and a jar of their library is missing. */
    public static void checkJars(@Nullable Duration slow) {
        if (slow != null) {
            checkJar("circuitbreaker", "circuitbreaker.CircuitBreaker");
            checkJar("core", "core.EventPublisher");
        }
    }

    private static void checkJar(String part, String type) {
        RequiredJar.check(
                Breakers.class,
                "the circuit breaker of RedisStore",
                "io.github.resilience4j." + type,
                "io.github.resilience4j:resilience4j-" + part);
    }

    /**
     * Creates breakers for no server yet; {@code slow} is by how much a slow answer takes longer than the fastest one, {@code
     * refusals} returns the failure of the read of a key that would not be sent.
     */
    public Breakers(
            Duration slow,
            Function<String, @Nullable StoreException> refusals,
            BackgroundThreads threads,
            TimeSource time) {
        this.slow = slow;
        this.refusals = refusals;
        this.threads = threads;
        this.time = time;
        this.failures = new CallbackLog(LOG, time);
    }

    /** Returns the breaker of a server, {@code null} if there is none yet. */
    @Nullable
    public StoreBreaker of(String server) {
        return all.get(server);
    }

    /** Returns the breaker of a server, creating it if there is none yet; {@code where} is the address for messages. */
    public StoreBreaker of(String server, String where, Probe probe) {
        return all.computeIfAbsent(server, each -> new StoreBreaker(this, where, probe, slow, threads, time));
    }

    @Override
    public BreakerState breaker() {
        return worst;
    }

    /** Names the servers that do not answer, and why. */
    @Override
    public String condition() {
        return all.values().stream()
                .filter(each -> each.state() != BreakerState.CLOSED)
                .map(StoreBreaker::condition)
                .sorted()
                .reduce((one, other) -> one + "; " + other)
                .orElseGet(BreakerEvents.super::condition);
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

    /** Returns whether requests of this thread are sent even while a circuit breaker is open. */
    boolean isExempt() {
        return exempt.contains(Thread.currentThread());
    }

    /** Notes that the state of one has changed, to be told by {@link #tell}. */
    synchronized void changed() {
        BreakerState now = BreakerState.CLOSED;
        for (StoreBreaker each : all.values()) {
            BreakerState state = each.state();
            now = now == BreakerState.OPEN || state == BreakerState.CLOSED ? now : state;
        }
        if (now != worst) {
            worst = now;
            untold.add(now);
        }
    }

    /** Tells the listeners, unless another thread is about to. */
    void tell() {
        if (telling.getAndIncrement() > 0) {
            return;
        }
        do {
            for (BreakerState state = untold.poll(); state != null; state = untold.poll()) {
                tell(state);
            }
        } while (telling.decrementAndGet() > 0);
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void tell(BreakerState state) {
        for (Consumer<BreakerState> listener : listeners) {
            try {
                listener.accept(state);
            } catch (Throwable e) { // otherwise nobody would be told anything from now on
                failures.add("A listener of the circuit breaker failed", e);
            }
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends the probes. The states remain. */
    @Override
    public void close() {
        closed = true;
    }
}
