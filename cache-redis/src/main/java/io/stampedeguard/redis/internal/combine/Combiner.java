package io.stampedeguard.redis.internal.combine;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.combine.Waiter.State;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The requests of one kind to one server by concurrent callers (flat combining: Hendler, Incze, Shavit, Tzafrir, SPAA 2010):
 *
 * <ol>
 *   <li>while no batch is under way, a caller that finds a free lane sends by itself;
 *   <li>otherwise it joins a stack of waiting callers. One of them is <em>the sender</em>: it sends the requests of all that wait as
 *       one batch, equal ones once. With the replies, it hands its role to a caller that waits by then, and wakes those
 *       of its batch, as a tree ({@link Waiter});
 *   <li>one that has waited for too long sends a batch besides the sender, so that nobody waits for long behind a slow reply. One
 *       timer sees to that for all of them ({@link WaitingCallers}), because a virtual thread pays more for a timer of its own than
 *       for the rest of its wait;
 *   <li>a batch is closed when it is its sender's turn to send it: an answer is never older than the call that it answers. A
 *       sender that waits for its turn has taken its companions off the stack, and takes the later ones along when it closes
 *       the batch;
 *   <li>a companion leaves when it is interrupted, or when its patience ends before the batch is closed: then it sends by itself
 *       if a connection is free, and fails otherwise. One that holds a lease, or requests one, waits only for
 *       {@link WaitingCallers#OVERDUE_NANOS} for the batch to be closed: its sender may be without a processor;
 *   <li>the failure of a batch is that of each member, and a refused request that of its caller. If a failure concerns only the
 *       sender, another member sends the batch again; if one request may be the cause, each member sends by itself. So does a
 *       sender that found no connection in the pool: it waits for one for as long as its own patience lasts, and nobody with it;
 *   <li>a request that must not be sent again ({@link Turn#once}) is sent after its batch has failed only if nothing was sent. Its
 *       caller does not leave after the batch is closed, although it is interrupted;
 *   <li>a batch that would be too large is divided; its second part is sent at the same time, by a member of its own.
 * </ol>
 *
 * <p>No wake-up is lost: a caller tries to become the sender after it has been pushed, and a sender looks for waiting callers after
 * it has left the role. Each step of a caller ({@link State}) is one compare-and-set, so it is answered, or sends, or leaves, but
 * never two of these. <em>Thread-safe.</em> Takes no lock; waiting virtual threads are not pinned.
 *
 * @param <Q> a request
 * @param <A> the answer to one
 */
public final class Combiner<Q, A extends @Nullable Object> {
    /** A call with more requests than this is not combined with others. */
    public static final int MOST_JOINING = 16;

    static final int MOST_REQUESTS = 256;
    static final int MOST_BYTES = 64 * 1024;
    static final int LARGE_BYTES = 16 * 1024;
    private static final int LEARNING_SHIFT = 3;

    final Transport<Q, A> transport;
    final TimeSource time;
    final WaitingCallers<Q, A> waiting;

    /** The failure of requests that were sent, and not by their callers, when there may be no memory for another one. */
    final JedisException lost = new JedisConnectionException("the thread that has sent it has failed");

    private final int lanes;
    private final AtomicInteger freeLanes;
    private final AtomicBoolean hasSender = new AtomicBoolean();

    /** The recent mean length of requests and answers. Concurrent updates may be lost. */
    private volatile int meanBytes;

    /** Creates a combiner; so many callers at a time as there are {@code lanes} may send by themselves. */
    public Combiner(Transport<Q, A> transport, int lanes, TimeSource time) {
        this.transport = transport;
        this.time = time;
        this.lanes = lanes;
        this.freeLanes = new AtomicInteger(lanes);
        this.waiting = new WaitingCallers<>(time);
    }

    /** A way to send requests. Methods block, and throw what Jedis throws. */
    public interface Transport<Q, A extends @Nullable Object> {
        /** Throws if this request is not to be sent now. */
        void check(Turn turn, Q request);

        /** Sends one request when it is the caller's turn. */
        A send(Turn turn, Q request);

        /** Sends the requests of one caller when it is its turn; throws if one has no answer. */
        @SuppressWarnings("unchecked")
        default List<A> sendTogether(Turn turn, List<Q> requests) {
            List<A> answers = new ArrayList<>(requests.size());
            for (Reply reply : sendAll(turn, () -> requests)) {
                if (reply.failure() != null) {
                    throw reply.failure();
                }
                answers.add((A) reply.value());
            }
            return answers;
        }

        /**
         * Sends requests when it is the caller's turn: they are asked for then, once. Returns the replies in their order; each is
         * an answer or a failure. Throws a failure that is that of all.
         */
        List<Reply> sendAll(Turn turn, Supplier<List<Q>> requests);

        /** Returns how many bytes a request and its answer have, apart from what all of them have. */
        int length(Q request, A answer);

        /** Returns an answer for one more caller with an equal request. */
        default A copy(A answer) {
            return answer;
        }
    }

    /** Sends a request; requests with equal names are equal. */
    public A send(Turn turn, Object name, Q request) {
        if (areLarge()) {
            return learn(request, transport.send(turn, request));
        }
        if (!hasSender.get() && takeLane()) {
            try {
                return learn(request, transport.send(turn, request));
            } finally {
                freeLanes.incrementAndGet();
            }
        }
        return join(turn, List.of(name), List.of(request)).get(0);
    }

    /** Sends a few different requests, in their order, and returns the answers in the same order. */
    public List<A> sendAll(Turn turn, List<?> names, List<Q> requests) {
        if (areLarge()) {
            return sendTogether(turn, requests);
        }
        if (!hasSender.get() && takeLane()) {
            try {
                return sendTogether(turn, requests);
            } finally {
                freeLanes.incrementAndGet();
            }
        }
        return join(turn, names, requests);
    }

    private List<A> sendTogether(Turn turn, List<Q> requests) {
        List<A> answers = transport.sendTogether(turn, requests);
        long bytes = 0;
        for (int i = 0; i < answers.size(); i++) {
            bytes += transport.length(requests.get(i), answers.get(i));
        }
        learn((int) (bytes / answers.size()));
        return answers;
    }

    private List<A> join(Turn turn, List<?> names, List<Q> requests) {
        turn.begin(time);
        transport.check(turn, requests.get(0));
        Waiter<Q, A> caller = new Waiter<>(turn, names, requests);
        waiting.push(caller);
        if (hasSender.compareAndSet(false, true)) {
            if (caller.move(State.WAITING, State.SENDER)) {
                return send(caller, true);
            }
            leaveRole();
        }
        return await(caller);
    }

    /** Waits for the answer, or for the role of a sender. */
    private List<A> await(Waiter<Q, A> caller) {
        try {
            waiting.watch(caller);
            caller.await(time);
        } catch (InterruptedException e) {
            leave(caller);
            throw new JedisException(e);
        } catch (RuntimeException | Error unableToWait) {
            leave(caller);
            throw unableToWait;
        }
        State state = caller.state();
        if (state == State.LEFT) { // over a free connection, or it fails if its patience has ended
            return sendTogether(caller.turn, caller.requests);
        }
        return state == State.SENDER || state == State.BESIDES ? send(caller, state == State.SENDER) : answer(caller);
    }

    /** Lets a caller leave, whatever it waits for. Its role goes to somebody else. */
    private void leave(Waiter<Q, A> caller) {
        State state = caller.endWait();
        if (state == State.SENDER) {
            leaveRole();
        } else if (state == State.BESIDES) {
            Waiter.passOn(caller.companions);
        }
    }

    /** Sends a batch, and wakes the others of it, whatever happens. */
    private List<A> send(Waiter<Q, A> caller, boolean isTheSender) {
        Batch<Q, A> batch = null;
        try {
            batch = new Batch<>(this, caller);
            batch.send();
        } finally {
            try {
                if (isTheSender) {
                    leaveRole(); // first: the next batch is sent while the members of this one are woken
                }
            } finally {
                end(caller, batch);
            }
        }
        return answer(caller);
    }

    /** Answers the members of a batch; without memory for one, another caller sends it. */
    private void end(Waiter<Q, A> caller, @Nullable Batch<Q, A> batch) {
        if (batch == null) {
            Waiter.passOn(caller.companions);
        } else {
            batch.settle();
        }
    }

    /** Returns the answer to a caller that was woken, or has sent. */
    private List<A> answer(Waiter<Q, A> caller) {
        if (caller.goesAlone) {
            return sendTogether(caller.turn, caller.requests);
        }
        if (caller.failure != null) {
            throw caller.failure;
        }
        return requireNonNull(caller.answers);
    }

    private boolean takeLane() {
        int free = freeLanes.get();
        while (free > 0) {
            if (freeLanes.compareAndSet(free, free - 1)) {
                return true;
            }
            free = freeLanes.get();
        }
        return false;
    }

    /** Allocates nothing: otherwise the role would be lost with the memory. */
    private void leaveRole() {
        try {
            boolean isTaken = true;
            while (isTaken && !waiting.wakeNewestAs(State.SENDER)) {
                hasSender.set(false);
                isTaken = waiting.areThere() && hasSender.compareAndSet(false, true);
            }
        } catch (RuntimeException | Error e) { // no stack left, for instance: the next caller becomes the sender
            hasSender.set(false);
            throw e;
        }
    }

    /** Returns whether each request is to be sent by itself: then sending its bytes costs more than the exchange. */
    private boolean areLarge() {
        return meanBytes > LARGE_BYTES;
    }

    /** Returns how many requests a batch may have. */
    int mostRequests() {
        return Math.min(MOST_REQUESTS, MOST_BYTES / Math.max(1, meanBytes));
    }

    private A learn(Q request, A answer) {
        learn(transport.length(request, answer));
        return answer;
    }

    /** Writes only if this changes something. */
    void learn(int bytes) {
        int mean = meanBytes;
        int change = (bytes - mean) >> LEARNING_SHIFT;
        if (change != 0) {
            meanBytes = mean + change;
        }
    }

    /** Returns whether nobody sends or waits. */
    boolean isIdle() {
        return freeLanes.get() == lanes && !hasSender.get() && !waiting.areThere();
    }
}
