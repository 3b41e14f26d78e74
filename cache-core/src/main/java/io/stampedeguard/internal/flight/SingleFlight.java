package io.stampedeguard.internal.flight;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The loads under way in this process, at most one for each key: the first to come leads, the others wait for it.
 * <em>Thread-safe</em>; nothing here blocks.
 *
 * <ol>
 *   <li>{@link #join} puts the caller into the flight of its key, or makes it the leader of a new one.
 *   <li>The leader says {@link Flight#beginAttempt} before each question whose answer it may hand on.
 *   <li>Before its result becomes visible to others, it takes the flight off the map ({@link Flight#leave}): nobody who
 *       comes later joins an old load.
 *   <li>It lands, whatever happens: for all who joined, for the early ones only, or with nothing.
 * </ol>
 *
 * @param <R> what a flight brings
 */
public final class SingleFlight<R> {
    private final ConcurrentHashMap<String, Flight<R>> flights = new ConcurrentHashMap<>();

    private final Executor executor;
    private final LongSupplier nanos;

    /**
     * Creates an empty map of flights.
     *
     * @param executor where those are told of a landing who wait for it without a thread; must take whatever it is given
     * @param nanos the monotonic clock by which landings are timed
     */
    public SingleFlight(Executor executor, LongSupplier nanos) {
        this.executor = executor;
        this.nanos = nanos;
    }

    /**
     * Joins the flight of a key, or begins it.
     *
     * @param key the key
     * @return the caller's seat; if it leads, the caller must land the flight
     */
    public Seat<R> join(String key) {
        Flight<R> present = flights.get(key);
        if (present == null) {
            Flight<R> mine = new Flight<>(this, key);
            Seat<R> first = new Seat<>(mine, true, 0); // made before: a flight on the map without a leader never lands
            present = begin(key, mine);
            if (present == null) {
                return first;
            }
        }
        return new Seat<>(present, false, present.board());
    }

    /** What a caller does with its seats. */
    @FunctionalInterface
    public interface Boarding<R, T, X extends Exception> {
        /**
         * Waits, leads, or both.
         *
         * @param seats the seats, in the order of the keys
         * @return what it came to
         * @throws X as it likes
         */
        T run(List<Seat<R>> seats) throws X;
    }

    /**
     * Joins the flights of keys, or begins them, and runs an action with the seats. Every flight that the caller leads has landed
     * when this returns or throws, if need be with nothing: whoever has joined it goes round again.
     *
     * @param <K> what has a key
     * @param <T> the result of the action
     * @param <X> what the action throws
     * @param all what to join flights for
     * @param key the key of each
     * @param action what to do with the seats
     * @return the result of the action
     * @throws X if the action throws it
     */
    public <K, T, X extends Exception> T joinAll(List<K> all, Function<? super K, String> key, Boarding<R, T, X> action)
            throws X {
        List<Seat<R>> seats = new ArrayList<>(all.size()); // with room: a flight joined must not be lost
        try {
            for (K each : all) {
                seats.add(join(key.apply(each)));
            }
            return action.run(seats);
        } finally {
            for (Seat<R> seat : seats) {
                if (seat.leads()) {
                    seat.flight().landEmpty();
                }
            }
        }
    }

    /** The map may run out of memory after it has taken the flight. */
    private @Nullable Flight<R> begin(String key, Flight<R> mine) {
        try {
            return flights.putIfAbsent(key, mine);
        } catch (Error e) {
            mine.landEmpty(); // somebody may have joined it
            throw e;
        }
    }

    /**
     * Joins the flight of a key, if there is one.
     *
     * @param key the key
     * @return the caller's seat; {@code null} if there is no flight
     */
    public @Nullable Seat<R> follow(String key) {
        Flight<R> present = flights.get(key);
        return present == null ? null : new Seat<>(present, false, present.board());
    }

    /**
     * Returns how many callers wait for the flight of a key.
     *
     * @param key the key
     * @return its passengers, without its leader; -1 if there is no flight
     */
    public int passengers(String key) {
        Flight<R> present = flights.get(key);
        return present == null ? -1 : present.passengers();
    }

    /**
     * Takes the flight of a key off the map, if there is one: who comes later begins another. Those on board stay.
     *
     * @param key the key
     */
    public void forget(String key) {
        flights.remove(key);
    }

    Executor executor() {
        return executor;
    }

    long nanos() {
        return nanos.getAsLong();
    }

    void remove(String key, Flight<R> flight) {
        flights.remove(key, flight);
    }
}
