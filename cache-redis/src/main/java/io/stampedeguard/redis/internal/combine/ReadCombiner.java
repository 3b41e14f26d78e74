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
import redis.clients.jedis.exceptions.JedisException;

/**
 * The reads of one server by concurrent callers (flat combining: Hendler, Incze, Shavit, Tzafrir, SPAA 2010):
 *
 * <ol>
 *   <li>while no batch is under way, a caller that finds a free lane reads by itself;
 *   <li>otherwise it joins a stack of waiting callers. One of them is <em>the sender</em>: it sends the keys of all that wait as one
 *       batch, each key once. With the replies, it hands its role to a caller that waits by then, and wakes those of its batch;
 *   <li>the first of them sends a batch besides the sender once it has waited for {@link #FIRST_OVERDUE_NANOS}, and any other one
 *       after {@link #OVERDUE_NANOS}, so that nobody waits for long behind a slow reply. One timer sees to that for all of them
 *       ({@link Watch}), because a virtual thread pays more for a timer of its own than for the rest of its wait;
 *   <li>a batch is closed when it is its sender's turn to send it: an answer is never older than the call that it answers. A
 *       sender that waits for its turn has taken its companions off the stack, and takes the later ones along when it closes
 *       the batch;
 *   <li>a companion leaves when it is interrupted, or when its patience ends before the batch is closed: then it reads by itself
 *       if a connection is free, and fails otherwise;
 *   <li>the failure of a batch is that of each member. If it concerns only the sender, another member sends the batch again; if
 *       one key may be the cause, each member reads by itself;
 *   <li>a batch that would be too large is divided; its second part is sent at the same time, by a member of its own.
 * </ol>
 *
 * <p>No wake-up is lost: a caller tries to become the sender after it has been pushed, and a sender looks for waiting callers after
 * it has left the role. Each step of a caller ({@link Waiter#move}) is one compare-and-set, so it is answered, or sends, or leaves, but
 * never two of these. <em>Thread-safe.</em> Takes no lock; waiting virtual threads are not pinned.
 */
public final class ReadCombiner {
    /** A call for more keys than this is not combined with others. */
    public static final int MOST_JOINING = 16;

    static final int LANES = 4;
    static final int MOST_KEYS = 256;
    static final int MOST_BYTES = 64 * 1024;
    static final int LARGE_BYTES = 16 * 1024;
    static final long OVERDUE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    static final long FIRST_OVERDUE_NANOS = TimeUnit.MICROSECONDS.toNanos(250);
    private static final long FOREVER = Long.MAX_VALUE;
    private static final int LEARNING_SHIFT = 3;

    private final AtomicInteger freeLanes;
    private final AtomicBoolean hasSender = new AtomicBoolean();
    private final AtomicReference<@Nullable Waiter> newest = new AtomicReference<>();
    private final Reader reader;
    private final TimeSource time;
    private final int lanes;
    private final Watch watch;

    /** The recent mean length of what was read. Concurrent updates may be lost. */
    private volatile int meanBytes;

    public ReadCombiner(Reader reader, TimeSource time) {
        this(reader, time, LANES);
    }

    ReadCombiner(Reader reader, TimeSource time, int lanes) {
        this.reader = reader;
        this.time = time;
        this.lanes = lanes;
        this.freeLanes = new AtomicInteger(lanes);
        this.watch = new Watch();
    }

    /** A way to read keys. Methods block, and throw what Jedis throws. */
    public interface Reader {
        /** Throws if no request for this key is to be sent now. */
        void check(Turn turn, byte[] key);

        /** Reads one key when it is the caller's turn. */
        byte @Nullable [] read(Turn turn, byte[] key);

        /**
         * Reads many keys when it is the caller's turn: the keys are asked for then, once. Returns the replies in their order; each
         * is an array of bytes, or {@code null}, or a failure.
         */
        List<Reply> readAll(Turn turn, Supplier<byte[][]> keys);
    }

    /** Reads one key; equal names are equal keys. */
    public byte @Nullable [] read(Turn turn, String name, byte[] key) {
        if (areValuesLarge()) {
            return learn(reader.read(turn, key));
        }
        if (!hasSender.get() && takeLane()) {
            try {
                return learn(reader.read(turn, key));
            } finally {
                freeLanes.incrementAndGet();
            }
        }
        return join(turn, new String[] {name}, new byte[][] {key}).get(0);
    }

    /** Reads a few different keys, and returns the answers in the same order. */
    public List<byte @Nullable []> readAll(Turn turn, String[] names, byte[][] keys) {
        if (areValuesLarge()) {
            return readAlone(turn, keys);
        }
        if (!hasSender.get() && takeLane()) {
            try {
                return readAlone(turn, keys);
            } finally {
                freeLanes.incrementAndGet();
            }
        }
        return join(turn, names, keys);
    }

    private List<byte @Nullable []> readAlone(Turn turn, byte[][] keys) {
        List<Reply> replies = reader.readAll(turn, () -> keys);
        learn(replies);
        List<byte @Nullable []> values = new ArrayList<>(replies.size());
        for (Reply reply : replies) {
            if (reply.failure() != null) {
                throw reply.failure();
            }
            values.add((byte[]) reply.value());
        }
        return values;
    }

    private List<byte @Nullable []> join(Turn turn, String[] names, byte[][] keys) {
        turn.begin(time);
        reader.check(turn, keys[0]);
        Waiter caller = new Waiter(turn, names, keys);
        push(caller);
        if (hasSender.compareAndSet(false, true)) {
            if (caller.move(Place.WAITING, Place.SENDER)) {
                return send(caller, true);
            }
            leaveRole();
        }
        return await(caller);
    }

    private void push(Waiter caller) {
        do {
            caller.next = newest.get();
        } while (!newest.compareAndSet(caller.next, caller));
    }

    /** Waits for the answer, or for the role of a sender. */
    private List<byte @Nullable []> await(Waiter caller) {
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
    private void leave(Waiter caller) {
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
    private List<byte @Nullable []> send(Waiter caller, boolean isTheSender) {
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
    private static void end(Waiter caller, @Nullable Batch batch) {
        if (batch == null) {
            passOn(caller.companions);
        } else {
            batch.settle();
        }
    }

    /** Returns the answer to a caller that was woken, or has sent. */
    private List<byte @Nullable []> answer(Waiter caller) {
        if (caller.readsAlone) {
            return readAlone(caller.turn, caller.keys);
        }
        if (caller.failure != null) {
            throw caller.failure;
        }
        return requireNonNull(caller.values);
    }

    /** Makes one of some callers a sender, whose batch the others belong to. Those that have left are skipped. */
    private static void passOn(List<Waiter> callers) {
        for (int i = 0; i < callers.size(); i++) {
            Waiter caller = callers.get(i);
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
        for (Waiter each = newest.get(); each != null; each = each.next) {
            if (each.move(Place.WAITING, Place.SENDER)) {
                each.woken.countDown();
                return true;
            }
        }
        return false;
    }

    private boolean someoneWaits() {
        Waiter each = newest.get();
        while (each != null && each.state.get() != Place.WAITING) {
            each = each.next;
        }
        return each != null;
    }

    /** Returns whether each value is to be read by itself: then sending it costs more than the request. */
    private boolean areValuesLarge() {
        return meanBytes > LARGE_BYTES;
    }

    /** Returns how many keys a batch may have. */
    private int mostKeys() {
        return Math.min(MOST_KEYS, MOST_BYTES / Math.max(1, meanBytes));
    }

    private byte @Nullable [] learn(byte @Nullable [] value) {
        learn(value == null ? 0 : value.length);
        return value;
    }

    private void learn(List<Reply> replies) {
        long bytes = 0;
        for (Reply reply : replies) {
            bytes += reply.value() instanceof byte[] value ? value.length : 0;
        }
        learn((int) (bytes / replies.size()));
    }

    /** Writes only if this changes something. */
    private void learn(int bytes) {
        int mean = meanBytes;
        int change = (bytes - mean) >> LEARNING_SHIFT;
        if (change != 0) {
            meanBytes = mean + change;
        }
    }

    /** Returns whether nobody reads or waits. */
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

        private final AtomicReference<@Nullable Waiter> first = new AtomicReference<>();

        /** The companions of each sender whose batch was not closed yet. */
        private final Queue<Waiter[]> taken = new ConcurrentLinkedQueue<>();

        private volatile boolean isSomeoneBrief;

        /** When to look at all callers; for the thread of the timer. */
        private long lookNanos = time.monotonicNanos();

        /** Watches a caller that was pushed. */
        void over(Waiter caller) {
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
            Waiter oldest = first.get();
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
            Waiter due = null;
            long nextNanos = OVERDUE_NANOS;
            for (Waiter each = newest.get(); each != null; each = each.next) {
                long leftNanos = Math.min(each.turn.leftNanos(now), OVERDUE_NANOS - each.waitedNanos(now));
                if (each.state.get() == Place.WAITING) {
                    due = leftNanos <= 0 ? each : due;
                    nextNanos = Math.min(nextNanos, leftNanos);
                }
            }
            if (due != null) {
                letSend(due); // the oldest: all others travel with it
            }
            for (Waiter[] companions : taken) {
                for (Waiter each : companions) {
                    long leftNanos = each.turn.leftNanos(now);
                    if (leftNanos <= 0 && each.move(Place.TAKEN, Place.LEFT)) {
                        each.readsAlone = true; // over a free connection, or it fails
                        each.woken.countDown();
                    } else if (each.state.get() == Place.TAKEN) {
                        nextNanos = Math.min(nextNanos, leftNanos);
                    }
                }
            }
            lookNanos = now + nextNanos;
        }

        private void letSend(Waiter caller) {
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
    private static final class Waiter {
        private final AtomicReference<Place> state = new AtomicReference<>(Place.WAITING);
        private final CountDownLatch woken = new CountDownLatch(1);
        private final Turn turn;
        private final String[] names;
        private final byte[][] keys;
        private @Nullable Waiter next;

        /** The callers that travel with it if it sends, apart from those that wait; some may have left, or sent, meanwhile. */
        private List<Waiter> companions = List.of();

        private @Nullable List<byte @Nullable []> values;
        private @Nullable RuntimeException failure;
        private boolean readsAlone;

        Waiter(Turn turn, String[] names, byte[][] keys) {
            this.turn = turn;
            this.names = names;
            this.keys = keys;
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

    /** The callers whose keys travel together, and the replies to these. For the thread of its sender. */
    private final class Batch {
        private final Waiter sender;
        private final int mostKeys = mostKeys();
        private final List<Waiter> others;
        private final Map<String, Integer> places = new HashMap<>();
        private final List<byte[]> keys = new ArrayList<>();
        private final BitSet given = new BitSet();
        private Waiter[] watched = {};
        private @Nullable List<Reply> replies;
        private @Nullable RuntimeException failure;

        Batch(Waiter sender) {
            this.sender = sender;
            this.others = sender.companions.isEmpty() ? new ArrayList<>() : sender.companions;
        }

        void send() {
            takeWaiting();
            watched = others.toArray(Waiter[]::new);
            try {
                watch.taken.add(watched);
                watch.begin();
                read();
            } finally {
                watch.taken.remove(watched);
            }
        }

        private void read() {
            try {
                replies = reader.readAll(sender.turn, this::close);
            } catch (RuntimeException unanswered) {
                failure = unanswered;
            }
        }

        /** Takes all callers off the stack. */
        private void takeWaiting() {
            int from = others.size();
            for (Waiter each = newest.getAndSet(null); each != null; each = each.next) {
                others.add(each); // first: nobody is taken and forgotten
                if (!each.move(Place.WAITING, Place.TAKEN)) {
                    others.remove(others.size() - 1);
                }
            }
            Collections.reverse(others.subList(from, others.size())); // first come, first served
        }

        /** Closes the batch, and returns its keys. From now on, nobody leaves because its patience has ended. */
        private byte[][] close() {
            watch.taken.remove(watched);
            takeWaiting();
            add(sender);
            int at = 0;
            while (at < others.size() && keys.size() + others.get(at).keys.length <= mostKeys) {
                Waiter each = others.get(at++);
                if (each.markSent()) {
                    add(each);
                }
            }
            if (at < others.size()) {
                List<Waiter> tooMany = new ArrayList<>(others.subList(at, others.size()));
                shorten(at);
                passOn(tooMany);
            }
            return keys.toArray(byte[][]::new);
        }

        private void add(Waiter member) {
            for (int i = 0; i < member.keys.length; i++) {
                if (places.putIfAbsent(member.names[i], keys.size()) == null) {
                    keys.add(member.keys[i]);
                }
            }
        }

        private void shorten(int length) {
            while (others.size() > length) {
                others.remove(others.size() - 1);
            }
        }

        /** Gives each member its answer or its failure. If it can have neither, one of these members sends a batch. */
        private void settle() {
            int unsettled = 0;
            for (int i = 0; i < others.size(); i++) {
                Waiter each = others.get(i);
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
        private boolean isSettled(Waiter member) {
            Place place = member.state.get();
            if (place != Place.TAKEN && place != Place.SENT) {
                return true; // has left, or has become a sender
            }
            try {
                if (settle(member)) {
                    member.woken.countDown();
                    return true;
                }
                return false;
            } catch (RuntimeException | Error unable) { // such as a lack of memory: others wait for their answers
                return false;
            }
        }

        /** Returns whether the member has an answer or a failure; not if only the sender has failed. */
        private boolean settle(Waiter member) {
            if (replies == null && failure == null) {
                return false; // an Error of the sender
            }
            RuntimeException why = replies == null ? failure : giveIfItFits(member, replies);
            if (why == null) {
                return true;
            }
            if (RedisFailure.mayBeOfOneKey(why) && keys.size() > member.keys.length) {
                member.readsAlone = true;
                return true;
            }
            if (member != sender && RedisFailure.isOfCaller(why) && !hasAlsoEnded(member, why)) {
                return false;
            }
            member.failure = why;
            return true;
        }

        /** Returns whether the patience has ended, in which the sender got no connection. */
        private boolean hasAlsoEnded(Waiter member, RuntimeException why) {
            return RedisFailure.isShortage(why) && member.turn.leftNanos(time) <= 0;
        }

        private @Nullable RuntimeException giveIfItFits(Waiter member, List<Reply> all) {
            try {
                return give(member, all);
            } catch (OutOfMemoryError copy) { // the others wait for theirs
                return RedisFailure.tooLarge(copy);
            }
        }

        /** Gives a member its values, each an array of its own; returns the failure if one is missing. */
        private @Nullable RuntimeException give(Waiter member, List<Reply> all) {
            List<byte @Nullable []> values = new ArrayList<>(member.names.length);
            for (String name : member.names) {
                int place = requireNonNull(places.get(name));
                Reply reply = all.get(place);
                if (reply.failure() != null) {
                    return reply.failure();
                }
                byte[] value = (byte[]) reply.value();
                values.add(value == null || !given.get(place) ? value : value.clone());
                given.set(place);
            }
            member.values = values;
            return null;
        }
    }
}
