package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.time.TimeSource;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Bounds how many calls use the connections to a single server at once:
 *
 * <ol>
 *   <li>a call waits in a {@link ConnectionQueue} for as long as its {@link Turn} allows. That it waits in vain says nothing about the
 *       server, and is not reported as if it did;
 *   <li>the next connection that is returned belongs to those who hold leases: who renews, publishes or gives back never waits
 *       behind readers;
 *   <li>a call that has waited while the server answered nobody fails as the one did for whose connection it waited. So a
 *       stalled server costs each caller one timeout, and not another one for each that came before it;
 *   <li>where others use the same pool, a call that is admitted can find it exhausted all the same: see {@link Turn}.
 * </ol>
 *
 * <p>The connections of a cluster are not counted here: each of its masters has a pool of its own. <em>Thread-safe.</em>
 */
public final class ConnectionPermits {
    private final ServerState state = new ServerState();
    private final ConnectionQueue queue;
    private final TimeSource time;
    private final int connections;

    /**
     * Makes permits.
     *
     * @param connections how many there are; negative for any number
     */
    ConnectionPermits(int connections, TimeSource time) {
        this.connections = connections;
        this.time = time;
        this.queue = new ConnectionQueue(connections < 0 ? Integer.MAX_VALUE : connections, time);
    }

    /**
     * Makes a call when it is its turn.
     *
     * @param call where the pool is exhausted, asks again for the rest of its turn
     */
    public <T> T admit(Turn turn, Supplier<T> call) {
        turn.begin(time);
        enter(turn);
        try {
            turn.sending(time);
            T answer = call.get();
            state.answered();
            return answer;
        } catch (RuntimeException failure) {
            state.failed(failure);
            throw failure;
        } finally {
            queue.leave();
        }
    }

    private void enter(Turn turn) {
        if (queue.tryEnter(turn.holdsLease())) {
            return;
        }
        ServerState.Moment began = state.now();
        waitInQueue(turn);
        RuntimeException silence = began.silenceSince();
        if (silence != null) {
            queue.leave();
            throw new JedisConnectionException("the server has answered nobody since this call began to wait", silence);
        }
    }

    private void waitInQueue(Turn turn) {
        try {
            if (!queue.enter(turn.holdsLease(), turn.leftNanos(time))) {
                throw new JedisException(new NoSuchElementException("no connection came free"));
            }
        } catch (InterruptedException e) {
            throw new JedisException(e);
        }
    }

    /** Returns how many calls wait to be admitted. */
    public int waiting() {
        return queue.waiting();
    }

    /** Returns what is known of the server, and of the connections to it. */
    @Override
    public String toString() {
        return connections < 0
                ? state.toString()
                : "%s; calls under way: %d of %d, waiting: %d"
                        .formatted(state, connections - queue.free(), connections, waiting());
    }
}
