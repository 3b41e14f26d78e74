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
 *   <li>The flight always completes: for all that joined, for the early ones only, or without a result.
 * </ol>
 */
public final class SingleFlight<R> {
    /** What the completion of a flight needs, with the listeners that hear of it, and more. */
    private static final int STACK_FRAMES = 512;

    private final ConcurrentHashMap<String, Flight<R>> flights = new ConcurrentHashMap<>();

    private final Executor executor;
    private final LongSupplier nanos;

    /** Creates an empty map. The executor, for followers without a thread, must not reject tasks; {@code nanos} is monotonic. */
    public SingleFlight(Executor executor, LongSupplier nanos) {
        this.executor = executor;
        this.nanos = nanos;
    }

    /** Joins the flight of a key, or begins one. If the caller leads, it must complete the flight. */
    public Membership<R> join(String key) {
        Flight<R> present = flights.get(key);
        if (present == null) {
            Flight<R> mine = new Flight<>(this, key);
            Membership<R> first =
                    new Membership<>(mine, true, 0); // created first: a flight without a leader never completes
            present = begin(key, mine);
            if (present == null) {
                return first;
            }
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
     * Joins the flights of keys, or begins them, and runs an action with the memberships. Every flight that the caller leads has
     * completed when this method returns or throws, if necessary without a result: its followers then retry.
     */
    public <K, T, X extends Exception> T joinAll(List<K> all, Function<? super K, String> key, Action<R, T, X> action)
            throws X {
        requireStack(STACK_FRAMES);
        List<Membership<R>> memberships = new ArrayList<>(all.size()); // with capacity: a membership must not be lost
        try {
            for (K each : all) {
                memberships.add(join(key.apply(each)));
            }
            return action.run(memberships);
        } finally {
            completeLed(memberships, 0);
        }
    }

    /**
     * Throws a {@link StackOverflowError} now, when nothing has begun, rather than while flights are completed, permits and leases
     * released: a loader that requests key after key reaches the end of the stack anywhere.
     */
    private static int requireStack(int frames) {
        return frames == 0 ? 0 : 1 + requireStack(frames - 1);
    }

    /** If one completion fails, such as for lack of memory for its notifications, the others happen nevertheless. */
    private void completeLed(List<Membership<R>> memberships, int from) {
        for (int i = from; i < memberships.size(); i++) {
            if (memberships.get(i).leads()) {
                try {
                    memberships.get(i).flight().completeEmpty();
                } catch (RuntimeException | Error e) {
                    completeLed(memberships, i + 1);
                    throw e;
                }
            }
        }
    }

    /** The map may run out of memory after it has added the flight. */
    private @Nullable Flight<R> begin(String key, Flight<R> mine) {
        try {
            return flights.putIfAbsent(key, mine);
        } catch (Error e) {
            mine.completeEmpty(); // another caller may have joined it
            throw e;
        }
    }

    /** Joins the flight of a key; returns {@code null} if there is none. */
    public @Nullable Membership<R> follow(String key) {
        Flight<R> present = flights.get(key);
        return present == null ? null : new Membership<>(present, false, present.addFollower());
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
