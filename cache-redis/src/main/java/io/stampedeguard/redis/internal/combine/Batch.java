package io.stampedeguard.redis.internal.combine;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.combine.Waiter.State;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The callers of a {@link Combiner} whose requests travel together, and what becomes of each by the replies. For the thread of its
 * sender.
 */
final class Batch<Q, A extends @Nullable Object> {
    private final Combiner<Q, A> combiner;
    private final Waiter<Q, A> sender;
    private final int mostRequests;
    private final List<Waiter<Q, A>> others;
    private final Map<Object, Integer> places = new HashMap<>();
    private final List<Q> requests = new ArrayList<>();
    private final BitSet given = new BitSet();
    private List<Waiter<Q, A>> watched = List.of();
    private boolean hasMembers;
    private @Nullable List<Reply> replies;
    private @Nullable RuntimeException failure;

    Batch(Combiner<Q, A> combiner, Waiter<Q, A> sender) {
        this.combiner = combiner;
        this.mostRequests = combiner.mostRequests();
        this.sender = sender;
        this.others = sender.companions.isEmpty() ? new ArrayList<>() : sender.companions;
    }

    void send() {
        combiner.waiting.takeTo(others);
        watched = List.copyOf(others);
        try {
            combiner.waiting.watchTaken(watched);
            exchange();
        } finally {
            combiner.waiting.forgetTaken(watched);
        }
    }

    private void exchange() {
        try {
            replies = combiner.transport.sendAll(sender.turn, this::close);
        } catch (RuntimeException unanswered) {
            failure = unanswered;
        } finally {
            sender.turn.share(false);
        }
    }

    /** Closes the batch, and returns its requests. From now on, nobody leaves because its patience has ended. */
    private List<Q> close() {
        combiner.waiting.forgetTaken(watched);
        combiner.waiting.takeTo(others);
        add(sender);
        int at = 0;
        while (at < others.size() && requests.size() + others.get(at).requests.size() <= mostRequests) {
            Waiter<Q, A> each = others.get(at++);
            if (each.markSent()) {
                add(each);
                hasMembers = true;
            }
        }
        sender.turn.share(hasMembers);
        if (at < others.size()) {
            List<Waiter<Q, A>> tooMany = new ArrayList<>(others.subList(at, others.size()));
            shorten(at);
            Waiter.passOn(tooMany);
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
    void settle() {
        int unsettled = 0;
        for (int i = 0; i < others.size(); i++) {
            if (!isSettled(others.get(i))) {
                Collections.swap(others, i, unsettled++);
            }
        }
        Waiter.wakeAll(others, unsettled);
        shorten(unsettled);
        Waiter.passOn(others);
        settle(sender);
        if (replies != null) {
            learn(replies);
        }
    }

    /** Returns whether a member needs no other batch; it needs one if it has no answer, or there is no memory for it. */
    private boolean isSettled(Waiter<Q, A> member) {
        State state = member.state();
        if (state != State.TAKEN && state != State.SENT) {
            return true; // has left, or has become a sender
        }
        try {
            return settle(member);
        } catch (RuntimeException | Error unable) { // such as a lack of memory: others wait for their answers
            return lose(member);
        }
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
        boolean mayTryAgain = !hasAlsoEnded(member, why);
        if (member != sender && isOfSender(why, member) && mayTryAgain) {
            return false;
        }
        if (member == sender && hasMembers && RedisFailure.isShortage(why) && mayTryAgain) {
            member.goesAlone = true;
            return true;
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
        boolean isLost = member.turn.isOnce() && member.state() == State.SENT;
        if (isLost) {
            member.failure = combiner.lost;
        }
        return isLost;
    }

    /** Returns whether the patience has ended, in which the sender got no connection. */
    private boolean hasAlsoEnded(Waiter<Q, A> member, RuntimeException why) {
        return RedisFailure.isShortage(why) && member.turn.leftNanos(combiner.time) <= 0;
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
            answers.add(given.get(place) ? combiner.transport.copy(answer) : answer);
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
            bytes +=
                    all.get(i).failure() == null ? combiner.transport.length(requests.get(i), answerIn(all.get(i))) : 0;
        }
        combiner.learn((int) (bytes / all.size()));
    }
}
