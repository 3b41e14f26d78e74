package io.stampedeguard.benchmarks.crew;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.traffic.Timeline;
import io.stampedeguard.benchmarks.traffic.Traffic;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One round with one peer, from the parent's view: work is assigned to processes, all are released at one instant, and
 * report their results. Each piece of work has a ticket. Not thread-safe.
 */
public final class Round {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Enough time for several hundred threads to receive the release and to park until it comes. */
    private static final long AHEAD_MICROS = 50_000;

    private static final double NANOS_PER_MILLI = 1e6;

    /** Unique, so that a late message of one round is not taken for one of the next. */
    private static final AtomicInteger TICKETS = new AtomicInteger();

    private final PeerKind peer;
    private final PeerOptions options;
    private final Map<Integer, FleetMember> doing = new LinkedHashMap<>();
    private final Map<Integer, Map<String, Message>> said = new LinkedHashMap<>();

    /** Creates a round without work, with the peer's default options. */
    public Round(PeerKind peer) {
        this(peer, PeerOptions.usual());
    }

    /** Creates a round without work, with options of the peer in each process that takes part. */
    public Round(PeerKind peer, PeerOptions options) {
        this.peer = peer;
        this.options = options;
    }

    /**
     * Prepares a process for its work, an {@link Ask}, a {@link Change}, {@link Hits}, a {@link Series}, a {@link Replay}, or a
     * {@link Traffic}; returns the ticket for its answers, its tally, or its timeline.
     */
    public int begin(FleetMember member, Record work) throws InterruptedException {
        return order(member, Message.of(work.getClass().getSimpleName()).with(work));
    }

    /** Prepares some processes for the same work; returns the tickets. */
    public List<Integer> begin(List<FleetMember> members, Record work) throws InterruptedException {
        List<Integer> begun = new ArrayList<>();
        for (FleetMember member : members) {
            begun.add(begin(member, work));
        }
        return begun;
    }

    /** Lets a process, and what was prepared before, do its work now; returns the answers to its ask. */
    public Answers run(FleetMember member, Ask ask) throws InterruptedException {
        int ticket = begin(member, ask);
        release();
        return answers(ticket);
    }

    /** As above, for a series. */
    public Tally run(FleetMember member, Series series) throws InterruptedException {
        int ticket = begin(member, series);
        release();
        return tally(List.of(ticket));
    }

    /**
     * Registers the keys of the origin, of a {@link Series}, with the peer of a process. Blocks until this is done; needs no
     * release.
     */
    public void know(FleetMember member, String key, int keys) throws InterruptedException {
        order(member, Message.of("know").with("key", key).with("keys", keys));
    }

    /** Returns how many keys of a {@link Series} cannot exist, if a process' peer has a filter; needs no release. */
    public OptionalLong countImpossible(FleetMember member, String key, int keys) throws InterruptedException {
        int ticket = order(member, Message.of("count").with("key", key).with("keys", keys));
        String counted = await(ticket, "counted").text("impossible");
        return counted.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(counted));
    }

    /** Prepares a process for removing a key some time after the release; returns the ticket for the instant of its return. */
    public int remove(FleetMember member, String key, Duration after) throws InterruptedException {
        return order(member, Message.of("remove").with("key", key).with("after", after));
    }

    /** Clears the cache of a process' peer; returns how long the call took, in milliseconds. Needs no release. */
    public double clear(FleetMember member) throws InterruptedException {
        int ticket = order(member, Message.of("clear"));
        return await(ticket, "cleared").number("nanos") / NANOS_PER_MILLI;
    }

    /** Releases all prepared callers and threads; returns the instant, in the near future, in microseconds since the epoch. */
    public long release() {
        long instant = WallClock.micros() + AHEAD_MICROS;
        Set<FleetMember> released = new LinkedHashSet<>(doing.values());
        released.forEach(member -> member.send(Message.of("go").with("atMicros", instant)));
        return instant;
    }

    /** Waits for the answers to an ask. */
    public Answers answers(int ticket) throws InterruptedException {
        return answers(List.of(ticket));
    }

    /** Waits for the answers to some asks, and returns them as one. */
    public Answers answers(List<Integer> tickets) throws InterruptedException {
        Answers all = new Answers();
        for (int ticket : tickets) {
            all.addAll(await(ticket, "answers"));
        }
        return all;
    }

    /** Waits for the tallies of some series, and returns them as one. */
    public Tally tally(List<Integer> tickets) throws InterruptedException {
        Tally all = new Tally();
        for (int ticket : tickets) {
            all.addAll(await(ticket, "answers"));
        }
        return all;
    }

    /** Waits for the timelines of the traffic of some processes, all of one length in seconds, and returns them as one. */
    public Timeline timeline(List<Integer> tickets, int length) throws InterruptedException {
        Timeline all = new Timeline(length);
        for (int process = 0; process < tickets.size(); process++) {
            all.addAll(await(tickets.get(process), "answers"), process);
        }
        return all;
    }

    /** Waits until an announced load of an ask begins; returns when it began, in microseconds since the epoch. */
    public long awaitLoad(int ticket) throws InterruptedException {
        return await(ticket, "loading").number("micros");
    }

    /** Waits until a removal has returned; returns when it had, in microseconds since the epoch. */
    public long awaitRemoval(int ticket) throws InterruptedException {
        return await(ticket, "removed").number("micros");
    }

    private int order(FleetMember member, Message order) throws InterruptedException {
        int ticket = TICKETS.getAndIncrement();
        doing.put(ticket, member);
        member.send(order.with(options).with("ticket", ticket).with("peer", peer.name()));
        await(ticket, "ready");
        return ticket;
    }

    /** Messages of the process about other tickets are kept until a caller waits for them. */
    private Message await(int ticket, String verb) throws InterruptedException {
        FleetMember member = requireNonNull(doing.get(ticket), "no such ticket");
        Message message = about(ticket).get(verb);
        while (message == null) {
            Message heard = member.receive(PATIENCE);
            if (heard.verb().equals("failed")) {
                throw new IllegalStateException(heard.text("reason"));
            }
            about((int) heard.number("ticket")).putIfAbsent(heard.verb(), heard);
            message = about(ticket).get(verb);
        }
        return message;
    }

    private Map<String, Message> about(int ticket) {
        return said.computeIfAbsent(ticket, none -> new LinkedHashMap<>());
    }
}
