package io.stampedeguard.redis.internal.combine;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The requests of one kind to one server by concurrent callers (flat combining: Hendler, Incze, Shavit, Tzafrir, SPAA 2010):
 *
 * <ol>
 *   <li>while no batch is under way, a caller that finds a free lane sends by itself;
 *   <li>otherwise it joins a stack of waiting callers. One of them is <em>the sender</em>: it sends the requests of all that wait as
 *       one batch, equal ones once. With the replies, it hands its role to a caller that waits by then, and wakes those of its batch;
 *   <li>the first of them sends a batch besides the sender once it has waited for {@link #FIRST_OVERDUE_NANOS}, and any other one
 *       after {@link #OVERDUE_NANOS}, so that nobody waits for long behind a slow reply. One timer sees to that for all of them
 *       ({@link Watch}), because a virtual thread pays more for a timer of its own than for the rest of its wait;
 *   <li>a batch is closed when it is its sender's turn to send it: an answer is never older than the call that it answers. A
 *       sender that waits for its turn has taken its companions off the stack, and takes the later ones along when it closes
 *       the batch;
 *   <li>a companion leaves when it is interrupted, or when its patience ends before the batch is closed: then it sends by itself
 *       if a connection is free, and fails otherwise. One that holds a lease, or requests one, waits for {@link #OVERDUE_NANOS}
 *       only for the batch to be closed: its sender may be without a processor;
 *   <li>the failure of a batch is that of each member, and a refused request that of its caller. If a failure concerns only the
 *       sender, another member sends the batch again; if one request may be the cause, each member sends by itself;
 *   <li>a request that must not be sent again ({@link Turn#once}) is sent after its batch has failed only if nothing was sent;
 *   <li>a batch that would be too large is divided; its second part is sent at the same time, by a member of its own.
 * </ol>
 *
 * <p>No wake-up is lost: a caller tries to become the sender after it has been pushed, and a sender looks for waiting callers after
 * it has left the role. Each step of a caller ({@link Waiter#move}) is one compare-and-set, so it is answered, or sends, or leaves, but
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
    static final long OVERDUE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    static final long FIRST_OVERDUE_NANOS = TimeUnit.MICROSECONDS.toNanos(250);
    private static final long FOREVER = Long.MAX_VALUE;
    private static final int LEARNING_SHIFT = 3;

    private final AtomicInteger freeLanes;
    private final AtomicBoolean hasSender = new AtomicBoolean();
    private final AtomicReference<@Nullable Waiter<Q, A>> newest = new AtomicReference<>();
    private final Transport<Q, A> transport;
    private final TimeSource time;
    private final int lanes;
    private final Watch watch;

    /** The failure of requests that were sent, and not by their callers, when there may be no memory for another one. */
    private final JedisException lost = new JedisConnectionException("the thread that has sent it has failed");

    /** The recent mean length of requests and answers. Concurrent updates may be lost. */
    private volatile int meanBytes;

    /** Creates a combiner; so many callers at a time as there are {@code lanes} may send by themselves. */
    public Combiner(Transport<Q, A> transport, int lanes, TimeSource time) {
        this.transport = transport;
        this.time = time;
        this.lanes = lanes;
        this.freeLanes = new AtomicInteger(lanes);
        this.watch = new Watch();
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
        push(caller);
        if (hasSender.compareAndSet(false, true)) {
            if (caller.move(Place.WAITING, Place.SENDER)) {
                return send(caller, true);
            }
            leaveRole();
        }
        return await(caller);
    }

    private void push(Waiter<Q, A> caller) {
        do {
            caller.next = newest.get();
        } while (!newest.compareAndSet(caller.next, caller));
    }

    /** Waits for the answer, or for the role of a sender. */
    private List<A> await(Waiter<Q, A> caller) {
        try {
            watch.over(caller);
            time.await(caller.woken, FOREVER); // without a timer of its own
        } catch (InterruptedException e) {
            leave(caller);
            throw new JedisException(e);
        } catch (RuntimeException | Error unableToWait) {
            leave(caller);
            throw unableToWait;
        }
        Place place = caller.state.get();
        return place == Place.SENDER || place == Place.BESIDES ? send(caller, place == Place.SENDER) : answer(caller);
    }

    /** Lets a caller leave, whatever it waits for. Its role goes to somebody else. */
    private void leave(Waiter<Q, A> caller) {
        boolean hasLeft = caller.move(Place.WAITING, Place.LEFT) // in the order in which they follow each other
                || caller.move(Place.TAKEN, Place.LEFT)
                || caller.move(Place.SENT, Place.LEFT);
        if (!hasLeft && caller.state.get() == Place.SENDER) {
            leaveRole();
        } else if (!hasLeft && caller.state.get() == Place.BESIDES) {
            passOn(caller.companions);
        }
    }

    /** Sends a batch as its sender, and wakes the others of it, whatever happens. */
    private List<A> send(Waiter<Q, A> caller, boolean isTheSender) {
        Batch batch = null;
        try {
            batch = new Batch(caller);
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
    private void end(Waiter<Q, A> caller, @Nullable Batch batch) {
        if (batch == null) {
            passOn(caller.companions);
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

    /** Makes one of some callers a sender, whose batch the others belong to. Those that have left are skipped. */
    private void passOn(List<Waiter<Q, A>> callers) {
        for (int i = 0; i < callers.size(); i++) {
            Waiter<Q, A> caller = callers.get(i);
            caller.companions = callers;
            if (caller.move(Place.TAKEN, Place.BESIDES) || caller.move(Place.SENT, Place.BESIDES)) {
                caller.woken.countDown();
                return;
            }
        }
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
            while (isTaken && !handOverRole()) {
                hasSender.set(false);
                isTaken = someoneWaits() && hasSender.compareAndSet(false, true);
            }
        } catch (RuntimeException | Error e) { // no stack left, for instance: the next caller becomes the sender
            hasSender.set(false);
            throw e;
        }
    }

    /** Hands the role to the caller that came last: it may not even sleep yet, and all others travel with it. */
    private boolean handOverRole() {
        for (Waiter<Q, A> each = newest.get(); each != null; each = each.next) {
            if (each.move(Place.WAITING, Place.SENDER)) {
                each.woken.countDown();
                return true;
            }
        }
        return false;
    }

    private boolean someoneWaits() {
        Waiter<Q, A> each = newest.get();
        while (each != null && each.state.get() != Place.WAITING) {
            each = each.next;
        }
        return each != null;
    }

    /** Returns whether each request is to be sent by itself: then sending its bytes costs more than the exchange. */
    private boolean areLarge() {
        return meanBytes > LARGE_BYTES;
    }

    /** Returns how many requests a batch may have. */
    private int mostRequests() {
        return Math.min(MOST_REQUESTS, MOST_BYTES / Math.max(1, meanBytes));
    }

    private A learn(Q request, A answer) {
        learn(transport.length(request, answer));
        return answer;
    }

    /** Writes only if this changes something. */
    private void learn(int bytes) {
        int mean = meanBytes;
        int change = (bytes - mean) >> LEARNING_SHIFT;
        if (change != 0) {
            meanBytes = mean + change;
        }
    }

    /** Returns whether nobody sends or waits. */
    boolean isIdle() {
        return freeLanes.get() == lanes && !hasSender.get() && !someoneWaits();
    }

    /**
     * The one timer of all waiting callers, which beats each {@link #FIRST_OVERDUE_NANOS} while there are any: a wait may last
     * longer by one beat. A beat lets those send that are overdue, and those leave whose patience has ended. All that wait are on
     * the stack, in {@link #taken}, or about to be added to one of them by a sender that is awake.
     */
    private final class Watch {
        /** The next beat; {@code null} if none is set. */
        private final AtomicReference<@Nullable Object> set = new AtomicReference<>();

        private final AtomicReference<@Nullable Waiter<Q, A>> first = new AtomicReference<>();

        /** The companions of each sender whose batch was not closed yet. */
        private final Queue<List<Waiter<Q, A>>> taken = new ConcurrentLinkedQueue<>();

        private volatile boolean isSomeoneBrief;

        /** When to look at all callers; for the thread of the timer. */
        private long lookNanos = time.monotonicNanos();

        /** Watches a caller that was pushed. */
        void over(Waiter<Q, A> caller) {
            if (caller.next == null) {
                first.set(caller);
            }
            if (caller.turn.patienceNanos() < OVERDUE_NANOS) {
                isSomeoneBrief = true;
            }
            begin();
        }

        /** To be called by whoever adds callers to watch, afterwards. */
        void begin() {
            Object beat = new Object();
            if (set.get() == null && set.compareAndSet(null, beat)) {
                try {
                    time.schedule(FIRST_OVERDUE_NANOS, () -> beat(beat));
                } catch (RuntimeException
                        | OutOfMemoryError unable) { // no thread: senders wake them, and the next caller tries it
                    set.set(null);
                }
            }
        }

        /** Does nothing if it was given up: a timer without a thread may run it later all the same. */
        private void beat(Object beat) {
            if (!beat.equals(set.get())) {
                return;
            }
            Waiter<Q, A> oldest = first.get();
            try {
                long now = time.monotonicNanos();
                if (oldest != null && oldest.waitedNanos(now) >= FIRST_OVERDUE_NANOS) {
                    letSend(oldest);
                }
                if (isSomeoneBrief || now - lookNanos >= 0) {
                    isSomeoneBrief = false;
                    look(now);
                }
            } finally {
                set.set(null);
                if (someoneWaits() || !taken.isEmpty()) {
                    begin();
                } else {
                    first.compareAndSet(oldest, null);
                }
            }
        }

        /** Looks at each caller; the next time when one of them is overdue, or its patience ends. */
        private void look(long now) {
            Waiter<Q, A> due = null;
            long nextNanos = OVERDUE_NANOS;
            for (Waiter<Q, A> each = newest.get(); each != null; each = each.next) {
                long leftNanos = Math.min(each.turn.leftNanos(now), OVERDUE_NANOS - each.waitedNanos(now));
                if (each.state.get() == Place.WAITING) {
                    due = leftNanos <= 0 ? each : due;
                    nextNanos = Math.min(nextNanos, leftNanos);
                }
            }
            if (due != null) {
                letSend(due); // the oldest: all others travel with it
            }
            for (List<Waiter<Q, A>> companions : taken) {
                for (Waiter<Q, A> each : companions) {
                    long leftNanos = Math.min(each.turn.leftNanos(now), each.mostTakenNanos - each.waitedNanos(now));
                    if (leftNanos <= 0 && each.move(Place.TAKEN, Place.LEFT)) {
                        each.goesAlone = true; // over a free connection, or it fails if its patience has ended
                        each.woken.countDown();
                    } else if (each.state.get() == Place.TAKEN) {
                        nextNanos = Math.min(nextNanos, leftNanos);
                    }
                }
            }
            lookNanos = now + nextNanos;
        }

        private void letSend(Waiter<Q, A> caller) {
            if (caller.move(Place.WAITING, Place.BESIDES)) {
                caller.woken.countDown();
            }
        }
    }

    /** Where a caller is that was not alone. */
    private enum Place {
        /** On the stack. */
        WAITING,
        /** In a batch that was not sent yet. */
        TAKEN,
        /** In a batch that was closed, and answered if it was woken. */
        SENT,
        /** Has gone without an answer. */
        LEFT,
        /** Sends a batch as the sender. */
        SENDER,
        /** Sends a batch besides the sender. */
        BESIDES
    }

    /** A caller that was not alone. Woken once: answered, or to send. */
    private static final class Waiter<Q, A extends @Nullable Object> {
        private final AtomicReference<Place> state = new AtomicReference<>(Place.WAITING);
        private final CountDownLatch woken = new CountDownLatch(1);
        private final Turn turn;
        private final List<?> names;
        private final List<Q> requests;

        /** How long it may wait, taken by a sender or not, for its batch to be closed. */
        private final long mostTakenNanos;

        private @Nullable Waiter<Q, A> next;

        /** The callers that travel with it if it sends, apart from those that wait; some may have left, or sent, meanwhile. */
        private List<Waiter<Q, A>> companions = List.of();

        private @Nullable List<A> answers;
        private @Nullable RuntimeException failure;
        private boolean goesAlone;

        Waiter(Turn turn, List<?> names, List<Q> requests) {
            this.turn = turn;
            this.names = names;
            this.requests = requests;
            this.mostTakenNanos = turn.holdsLease() || turn.isOnce() ? OVERDUE_NANOS : FOREVER;
        }

        /** Returns how long it has waited at a time, since its patience has begun: without another look at the clock. */
        long waitedNanos(long now) {
            return turn.patienceNanos() - turn.leftNanos(now);
        }

        boolean move(Place from, Place to) {
            return state.compareAndSet(from, to);
        }

        /** Marks it as sent if it belongs to a batch that is to be sent now, and returns whether it does. */
        boolean markSent() {
            return move(Place.TAKEN, Place.SENT) || state.get() == Place.SENT;
        }
    }

    /** The callers whose requests travel together, and the replies to these. For the thread of its sender. */
    private final class Batch {
        private final Waiter<Q, A> sender;
        private final int mostRequests = mostRequests();
        private final List<Waiter<Q, A>> others;
        private final Map<Object, Integer> places = new HashMap<>();
        private final List<Q> requests = new ArrayList<>();
        private final BitSet given = new BitSet();
        private List<Waiter<Q, A>> watched = List.of();
        private @Nullable List<Reply> replies;
        private @Nullable RuntimeException failure;

        Batch(Waiter<Q, A> sender) {
            this.sender = sender;
            this.others = sender.companions.isEmpty() ? new ArrayList<>() : sender.companions;
        }

        void send() {
            takeWaiting();
            watched = List.copyOf(others);
            try {
                watch.taken.add(watched);
                watch.begin();
                exchange();
            } finally {
                watch.taken.remove(watched);
            }
        }

        private void exchange() {
            try {
                replies = transport.sendAll(sender.turn, this::close);
            } catch (RuntimeException unanswered) {
                failure = unanswered;
            }
        }

        /** Takes all callers off the stack. */
        private void takeWaiting() {
            int from = others.size();
            for (Waiter<Q, A> each = newest.getAndSet(null); each != null; each = each.next) {
                others.add(each); // first: nobody is taken and forgotten
                if (!each.move(Place.WAITING, Place.TAKEN)) {
                    others.remove(others.size() - 1);
                }
            }
            Collections.reverse(others.subList(from, others.size())); // first come, first served
        }

        /** Closes the batch, and returns its requests. From now on, nobody leaves because its patience has ended. */
        private List<Q> close() {
            watch.taken.remove(watched);
            takeWaiting();
            add(sender);
            int at = 0;
            while (at < others.size()
                    && requests.size() + others.get(at).requests.size() <= mostRequests) {
                Waiter<Q, A> each = others.get(at++);
                if (each.markSent()) {
                    add(each);
                }
            }
            if (at < others.size()) {
                List<Waiter<Q, A>> tooMany = new ArrayList<>(others.subList(at, others.size()));
                shorten(at);
                passOn(tooMany);
            }
            return requests;
        }

        private void add(Waiter<Q, A> member) {
            for (int i = 0; i < member.requests.size(); i++) {
                if (places.putIfAbsent(member.names.get(i), requests.size()) == null) {
                    requests.add(member.requests.get(i));
                }
            }
        }

        private void shorten(int length) {
            while (others.size() > length) {
                others.remove(others.size() - 1);
            }
        }

        /** Gives each member its answers or its failure. If it can have neither, one of these members sends a batch. */
        private void settle() {
            int unsettled = 0;
            for (int i = 0; i < others.size(); i++) {
                Waiter<Q, A> each = others.get(i);
                if (!isSettled(each)) {
                    others.set(unsettled++, each);
                }
            }
            shorten(unsettled);
            passOn(others);
            settle(sender);
            if (replies != null) {
                learn(replies);
            }
        }

        /** Wakes a member unless it needs another batch: if it has no answer, or there is no memory for it. */
        private boolean isSettled(Waiter<Q, A> member) {
            Place place = member.state.get();
            if (place != Place.TAKEN && place != Place.SENT) {
                return true; // has left, or has become a sender
            }
            boolean hasEnd;
            try {
                hasEnd = settle(member);
            } catch (RuntimeException | Error unable) { // such as a lack of memory: others wait for their answers
                hasEnd = lose(member);
            }
            if (hasEnd) {
                member.woken.countDown();
            }
            return hasEnd;
        }

        /** Returns whether the member has answers or a failure; not if only the sender has failed. */
        private boolean settle(Waiter<Q, A> member) {
            if (replies == null && failure == null) {
                return lose(member); // an Error of the sender
            }
            RuntimeException why = replies == null ? failure : giveIfItFits(member, replies);
            if (why == null) {
                return true;
            }
            boolean isSharedCause = RedisFailure.mayBeOfOneKey(why) && !isRefusal(why);
            if (isSharedCause && requests.size() > member.requests.size() && !member.turn.isOnce()) {
                member.goesAlone = true;
                return true;
            }
            if (member != sender && isOfSender(why, member) && !hasAlsoEnded(member, why)) {
                return false;
            }
            member.failure = why;
            return true;
        }

        /** Returns whether a failure is the server's reply to a request, not to all of them together. */
        private boolean isRefusal(RuntimeException why) {
            return replies != null && why instanceof JedisDataException;
        }

        /** Returns whether a failure concerns only the sender, and the member's requests may be sent again. */
        private boolean isOfSender(RuntimeException why, Waiter<Q, A> member) {
            return member.turn.isOnce() ? RedisFailure.isBeforeSending(why) : RedisFailure.isOfCaller(why);
        }

        /** Lets a member fail whose requests must not be sent again; returns whether that is so. Allocates nothing. */
        private boolean lose(Waiter<Q, A> member) {
            boolean isLost = member.turn.isOnce() && member.state.get() == Place.SENT;
            if (isLost) {
                member.failure = lost;
            }
            return isLost;
        }

        /** Returns whether the patience has ended, in which the sender got no connection. */
        private boolean hasAlsoEnded(Waiter<Q, A> member, RuntimeException why) {
            return RedisFailure.isShortage(why) && member.turn.leftNanos(time) <= 0;
        }

        private @Nullable RuntimeException giveIfItFits(Waiter<Q, A> member, List<Reply> all) {
            try {
                return give(member, all);
            } catch (OutOfMemoryError copy) { // the others wait for theirs
                return RedisFailure.tooLarge(copy);
            }
        }

        /** Gives a member its answers, none of which another one has; returns the failure if one is missing. */
        private @Nullable RuntimeException give(Waiter<Q, A> member, List<Reply> all) {
            member.turn.sentWith(sender.turn);
            List<A> answers = new ArrayList<>(member.names.size());
            for (Object name : member.names) {
                int place = requireNonNull(places.get(name));
                Reply reply = all.get(place);
                if (reply.failure() != null) {
                    return reply.failure();
                }
                A answer = answerIn(reply);
                answers.add(given.get(place) ? transport.copy(answer) : answer);
                given.set(place);
            }
            member.answers = answers;
            return null;
        }

        @SuppressWarnings({"unchecked", "NullAway"}) // see Transport; A may be nullable
        private A answerIn(Reply reply) {
            return (A) reply.value();
        }

        private void learn(List<Reply> all) {
            long bytes = 0;
            for (int i = 0; i < all.size(); i++) {
                bytes += all.get(i).failure() == null ? transport.length(requests.get(i), answerIn(all.get(i))) : 0;
            }
            Combiner.this.learn((int) (bytes / all.size()));
        }
    }
}
