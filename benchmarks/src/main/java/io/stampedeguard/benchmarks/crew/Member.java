package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.traffic.Traffic;
import io.stampedeguard.benchmarks.traffic.TrafficRun;
import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * A process of the crew. It receives the URI of Redis, and then takes part in one round after another: work, by the name of its
 * type, or {@code remove} – {@code ready}, any number of times; {@code go} – {@code answers} or {@code removed}, one for each.
 * Before, between, and after that: {@code know} – {@code ready}; {@code count} – {@code ready}, {@code counted}; {@code clear} –
 * {@code ready}, {@code cleared}. Instead of {@code ready} it may answer {@code failed}. For one thread; the work that it starts
 * runs on other threads.
 */
final class Member {
    private final FleetLink link;
    private final String redisUri;

    /** The open peers, each once, with the options of the latest order. */
    private final Map<String, OpenPeer> open = new HashMap<>();

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> Daemon.thread("caller", task));
    private CompletableFuture<Long> release = new CompletableFuture<>();

    private Member(FleetLink link, Message open) {
        this.link = link;
        this.redisUri = open.text("redis");
    }

    private record OpenPeer(PeerOptions options, Peer peer) {}

    /** Runs until the parent process ends. */
    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Member member = new Member(link, link.receive());
        link.send(Message.of("opened"));
        while (true) {
            member.takeOrReport(link.receive());
        }
    }

    /** A peer that cannot be opened, or cannot store a value, does not end the process. */
    @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
    private void takeOrReport(Message order) throws InterruptedException {
        try {
            take(order);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | LinkageError e) {
            link.send(about(order, "failed").with("reason", reason(e)));
        }
    }

    /** A peer that does not support an option of the workload has not failed: it states what it does not have. */
    private static String reason(Throwable problem) {
        return problem instanceof UnsupportedOperationException && problem.getMessage() != null
                ? "does not take part: " + problem.getMessage()
                : problem.toString();
    }

    private void take(Message order) throws Exception {
        switch (order.verb()) {
            case "Ask" ->
                report(
                        order,
                        new AskRun(order.read(Ask.class), peer(order), threads, release, announcing(order))::awaitEnd);
            case "Change" ->
                report(order, new ChangeRun(order.read(Change.class), peer(order), threads, release)::awaitEnd);
            case "Hits" -> report(order, new HitRun(order.read(Hits.class), peer(order), release)::awaitEnd);
            case "Series" ->
                report(order, new SeriesRun(order.read(Series.class), peer(order), threads, release)::awaitEnd);
            case "Replay" -> {
                Replay replay = order.read(Replay.class);
                report(order, new SeriesRun(replay.series(), replay.keysOf(), peer(order), threads, release)::awaitEnd);
            }
            case "Traffic" ->
                report(order, new TrafficRun(order.read(Traffic.class), peer(order), threads, release)::awaitEnd);
            case "know" -> know(order);
            case "count" -> count(order);
            case "remove" -> remove(order);
            case "clear" -> clear(order);
            case "go" -> {
                release.complete(order.number("atMicros"));
                release = new CompletableFuture<>();
            }
            default -> throw new IllegalArgumentException(order.toString());
        }
    }

    private Runnable announcing(Message order) {
        return () -> link.send(about(order, "loading").with("micros", WallClock.micros()));
    }

    private void know(Message order) {
        peer(order).know(() -> keys(order));
        link.send(about(order, "ready"));
    }

    private void count(Message order) {
        OptionalLong impossible = peer(order).countImpossible(keys(order));
        link.send(about(order, "ready"));
        link.send(about(order, "counted").with("impossible", impossible.isPresent() ? impossible.getAsLong() : ""));
    }

    private void clear(Message order) {
        Peer peer = peer(order);
        long began = System.nanoTime();
        peer.clear();
        long took = System.nanoTime() - began;
        link.send(about(order, "ready"));
        link.send(about(order, "cleared").with("nanos", took));
    }

    private static Stream<String> keys(Message order) {
        return Series.all(order.text("key"), (int) order.number("keys"));
    }

    /** Waits until all callers have their answers, and adds these to a message. */
    @FunctionalInterface
    private interface End {
        Message addTo(Message message) throws InterruptedException;
    }

    private void report(Message order, End end) {
        threads.execute(() -> {
            try {
                link.send(end.addTo(about(order, "answers")));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        link.send(about(order, "ready"));
    }

    private void remove(Message order) {
        Duration after = Duration.parse(order.text("after"));
        Peer peer = peer(order);
        CompletableFuture<Long> released = release;
        threads.execute(() -> {
            try {
                WallClock.awaitMicros(released.join() + after.toNanos() / 1_000);
                peer.remove(order.text("key"));
                link.send(about(order, "removed").with("micros", WallClock.micros()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        link.send(about(order, "ready"));
    }

    /** Returns the peer of an order. If it is open with other options, it is closed and reopened; no other caller uses it. */
    private Peer peer(Message order) {
        String name = order.text("peer");
        PeerOptions options = order.read(PeerOptions.class);
        OpenPeer opened = open.get(name);
        if (opened == null || !opened.options().equals(options)) {
            if (opened != null) {
                open.remove(name);
                opened.peer().close();
            }
            opened = new OpenPeer(options, Peers.named(name).open(redisUri, options));
            open.put(name, opened);
        }
        return opened.peer();
    }

    private static Message about(Message order, String verb) {
        return Message.of(verb).with("ticket", order.number("ticket"));
    }
}
