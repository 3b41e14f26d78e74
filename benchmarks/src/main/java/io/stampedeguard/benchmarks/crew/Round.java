package io.stampedeguard.benchmarks.crew;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One round with one peer, seen from the parent: it is said who is to do what, all are released at one instant, and tell
 * how it went. Each thing to do has a ticket. Not thread-safe.
 */
public final class Round {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Time enough for some hundred threads to learn of the release and park until it comes. */
    private static final long AHEAD_MICROS = 50_000;

    /** Never given twice, so that what is said late about one round is not taken for the next. */
    private static final AtomicInteger TICKETS = new AtomicInteger();

    private final PeerKind peer;
    private final PeerOptions options;
    private final Map<Integer, FleetMember> doing = new LinkedHashMap<>();
    private final Map<Integer, Map<String, Message>> said = new LinkedHashMap<>();

    /**
     * Begins with nothing to do.
     *
     * @param peer whose turn it is
     */
    public Round(PeerKind peer) {
        this(peer, PeerOptions.usual());
    }

    /**
     * Begins with nothing to do.
     *
     * @param peer whose turn it is
     * @param options with which it is open in each process that takes part
     */
    public Round(PeerKind peer, PeerOptions options) {
        this.peer = peer;
        this.options = options;
    }

    /**
     * Lets callers of a process stand ready.
     *
     * @param member the process
     * @param ask what they will do
     * @return the ticket for their answers
     * @throws InterruptedException if this thread is interrupted
     */
    public int ask(FleetMember member, Ask ask) throws InterruptedException {
        return order(member, ask.in(Message.of("ask")));
    }

    /**
     * Lets threads of a process stand ready to read keys as fast as they can, and lets it fill the cache with them.
     *
     * @param member the process
     * @param hits what they will read
     * @return the ticket for their answers
     * @throws InterruptedException if this thread is interrupted
     */
    public int hit(FleetMember member, Hits hits) throws InterruptedException {
        return order(member, hits.in(Message.of("hit")));
    }

    /**
     * Lets threads of a process stand ready to ask for a series of keys.
     *
     * @param member the process
     * @param series what they will ask for
     * @return the ticket for their tally
     * @throws InterruptedException if this thread is interrupted
     */
    public int walk(FleetMember member, Series series) throws InterruptedException {
        return order(member, series.in(Message.of("walk")));
    }

    /**
     * Lets a process tell its peer which keys the origin has; returns when it has, no release is needed.
     *
     * @param member the process
     * @param key what the keys begin with, as in a {@link Series}
     * @param keys how many there are
     * @throws InterruptedException if this thread is interrupted
     */
    public void know(FleetMember member, String key, int keys) throws InterruptedException {
        order(member, Message.of("know").with("key", key).with("keys", keys));
    }

    /**
     * Lets a process count the keys that cannot exist by the filter of its peer; no release is needed.
     *
     * @param member the process
     * @param key what the keys begin with, as in a {@link Series}
     * @param keys how many to ask for
     * @return how many of them cannot exist, if the peer has a filter
     * @throws InterruptedException if this thread is interrupted
     */
    public OptionalLong countImpossible(FleetMember member, String key, int keys) throws InterruptedException {
        int ticket = order(member, Message.of("count").with("key", key).with("keys", keys));
        String counted = await(ticket, "counted").text("impossible");
        return counted.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(counted));
    }

    /**
     * Lets a process stand ready to remove a key.
     *
     * @param member the process
     * @param key the key
     * @param after when, counted from the release
     * @return the ticket for the instant of its return
     * @throws InterruptedException if this thread is interrupted
     */
    public int remove(FleetMember member, String key, Duration after) throws InterruptedException {
        return order(member, Message.of("remove").with("key", key).with("after", after));
    }

    /**
     * Releases all who stand ready.
     *
     * @return the instant, a little ahead, in microseconds since the epoch
     */
    public long release() {
        long instant = WallClock.micros() + AHEAD_MICROS;
        Set<FleetMember> released = new LinkedHashSet<>(doing.values());
        released.forEach(member -> member.tell(Message.of("go").with("atMicros", instant)));
        return instant;
    }

    /**
     * Waits for the answers to an ask.
     *
     * @param ticket of the ask
     * @return the answers
     * @throws InterruptedException if this thread is interrupted
     */
    public Answers answers(int ticket) throws InterruptedException {
        return answers(List.of(ticket));
    }

    /**
     * Waits for the answers to some asks.
     *
     * @param tickets of the asks
     * @return the answers to all of them, as one
     * @throws InterruptedException if this thread is interrupted
     */
    public Answers answers(List<Integer> tickets) throws InterruptedException {
        Answers all = new Answers();
        for (int ticket : tickets) {
            all.addAll(await(ticket, "answers"));
        }
        return all;
    }

    /**
     * Waits for the tallies of some series.
     *
     * @param tickets of the series
     * @return all of them as one
     * @throws InterruptedException if this thread is interrupted
     */
    public Tally tally(List<Integer> tickets) throws InterruptedException {
        Tally all = new Tally();
        for (int ticket : tickets) {
            all.addAll(await(ticket, "answers"));
        }
        return all;
    }

    /**
     * Waits until a load begins that was to be announced.
     *
     * @param ticket of the ask
     * @return when it began, in microseconds since the epoch
     * @throws InterruptedException if this thread is interrupted
     */
    public long awaitLoad(int ticket) throws InterruptedException {
        return await(ticket, "loading").number("micros");
    }

    /**
     * Waits until a removal has returned.
     *
     * @param ticket of the removal
     * @return when it had, in microseconds since the epoch
     * @throws InterruptedException if this thread is interrupted
     */
    public long awaitRemoval(int ticket) throws InterruptedException {
        return await(ticket, "removed").number("micros");
    }

    private int order(FleetMember member, Message order) throws InterruptedException {
        int ticket = TICKETS.getAndIncrement();
        doing.put(ticket, member);
        member.tell(options.in(order.with("ticket", ticket).with("peer", peer.name())));
        await(ticket, "ready");
        return ticket;
    }

    /** What a process says about other tickets meanwhile is kept until somebody waits for it. */
    private Message await(int ticket, String verb) throws InterruptedException {
        FleetMember member = requireNonNull(doing.get(ticket), "no such ticket");
        Message message = about(ticket).get(verb);
        while (message == null) {
            Message heard = member.receive(PATIENCE);
            about((int) heard.number("ticket")).putIfAbsent(heard.verb(), heard);
            message = about(ticket).get(verb);
        }
        return message;
    }

    private Map<String, Message> about(int ticket) {
        return said.computeIfAbsent(ticket, none -> new LinkedHashMap<>());
    }
}
