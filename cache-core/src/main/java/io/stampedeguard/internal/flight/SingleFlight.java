package io.stampedeguard.internal.flight;

import io.stampedeguard.internal.flight.Flight.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The loads of this process, at most one per key: the first caller leads, others follow. <em>Thread-safe</em>; no method blocks.
 * <ol>
 *   <li>{@link #join} adds the caller to the flight of its key, or makes it the leader of a new one.
 *   <li>The leader calls {@link Flight#beginAttempt} before each request and each load whose answer it may pass on.
 *   <li>Before others can see its result, it removes the flight from the map ({@link Flight#detach}): no one joins an old load.
 *   <li>The flight always completes: for all that joined, for the early ones only, or without a result. If its leader's stack has
 *       no room even for that, the next caller of the key completes it; one that was {@linkplain Flight#handOver handed over} is
 *       completed by whoever took it.
 * </ol>
 */
public final class SingleFlight<R> {
    private final ConcurrentHashMap<String, Flight<R>> flights = new ConcurrentHashMap<>();

    final Executor executor;
    final LongSupplier nanos;

    /** Creates an empty map. The executor, for followers without a thread, must not reject tasks; {@code nanos} is monotonic. */
    public SingleFlight(Executor executor, LongSupplier nanos) {
        this.executor = executor;
        this.nanos = nanos;
    }

    /** Joins the flight of a key, or begins one. If the caller leads, it must complete the flight. */
    public Membership<R> join(String key) {
        return join(key, new Flight<?>[1], 0);
    }

    private Membership<R> join(String key, @Nullable Flight<?>[] led, int at) {
        Flight<R> present = flights.get(key);
        if (present == null || present.isLeft) {
            if (present != null) {
                present.completeEmpty();
            }
            Flight<R> begun = new Flight<>(this, key);
            Membership<R> first = new Membership<>(begun, true, 0);
            led[at] = begun; // before others can join it: a flight without a leader would never complete
            present = flights.putIfAbsent(key, begun);
            if (present == null) {
                return first;
            }
            led[at] = null;
        }
        return new Membership<>(present, false, present.addFollower());
    }

    /** An action of a caller with its memberships. */
    @FunctionalInterface
    public interface Action<R, T, X extends Exception> {
        /** Leads the flights that the caller began, and waits for the others; the memberships are in the order of the keys. */
        T run(List<Membership<R>> memberships) throws X;
    }

    /**
     * Joins the flights of keys, or begins them, and runs an action with the memberships. Every flight that the caller leads, unless
     * it was handed over, has completed when this method returns or throws, if necessary without a result: its followers then retry.
     */
    public <K, T, X extends Exception> T joinAll(List<K> all, Function<? super K, String> key, Action<R, T, X> action)
            throws X {
        @Nullable Flight<?>[] led = new Flight<?>[all.size()];
        try {
            List<Membership<R>> memberships = new ArrayList<>(led.length);
            for (K each : all) {
                memberships.add(join(key.apply(each), led, memberships.size()));
            }
            return action.run(memberships);
        } finally {
            for (Flight<?> flight : led) {
                if (flight != null && !flight.isHandedOver) {
                    flight.isLeft = true; // without a call: it needs no room on the stack
                }
            }
            completeLed(led, 0);
        }
    }

    /** If one completion fails, such as for lack of memory for its notifications, the others happen nevertheless. */
    private static void completeLed(@Nullable Flight<?>[] led, int from) {
        for (int i = from; i < led.length; i++) {
            Flight<?> flight = led[i];
            if (flight != null && !flight.isOver && !flight.isHandedOver) {
                try {
                    flight.completeEmpty();
                } catch (Throwable e) {
                    completeLed(led, i + 1);
                    throw e;
                }
            }
        }
    }

    /** Joins the flight of a key; returns {@code null} if there is none. */
    public @Nullable Membership<R> follow(String key) {
        Flight<R> present = flights.get(key);
        return present == null || present.isLeft ? null : new Membership<>(present, false, present.addFollower());
    }

    /** Returns the number of callers that wait for the flight of a key, without the leader; -1 if there is no flight. */
    public int followers(String key) {
        Flight<R> present = flights.get(key);
        return present == null ? -1 : present.followers();
    }

    /**
     * Returns whether a key has a flight whose leader, who has found nothing so far, requested the lease for the first time within
     * the last {@code nanos}.
     */
    public boolean hasMissBegunWithin(String key, long nanos) {
        Flight<R> present = flights.get(key);
        return present != null && present.hasMissBegunWithin(nanos);
    }

    /** Removes the flight of a key from the map, if there is one: the next caller begins another. Its followers stay. */
    public void forget(String key) {
        flights.remove(key);
    }

    /** Removes all flights from the map, as {@link #forget} does one. */
    public void forgetAll() {
        flights.clear();
    }

    void remove(String key, Flight<R> flight) {
        flights.remove(key, flight);
    }
}
