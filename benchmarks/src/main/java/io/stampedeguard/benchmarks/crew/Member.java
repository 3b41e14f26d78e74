package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** The handler of the parent's messages in a process. For one thread; the work that it starts runs on other threads. */
final class Member {
    private final FleetLink link;
    private final OpenPeers peers;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });
    private CompletableFuture<Long> release = new CompletableFuture<>();

    Member(FleetLink link, Message open) {
        this.link = link;
        this.peers = new OpenPeers(open.text("redis"));
    }

    void take(Message order) throws Exception {
        switch (order.verb()) {
            case "ask" -> ask(order);
            case "hit" -> hit(order);
            case "walk" -> walk(order);
            case "know" -> know(order);
            case "count" -> count(order);
            case "remove" -> remove(order);
            case "go" -> {
                release.complete(order.number("atMicros"));
                release = new CompletableFuture<>();
            }
            default -> throw new IllegalArgumentException(order.toString());
        }
    }

    private void ask(Message order) throws InterruptedException {
        Runnable announce = () -> link.tell(about(order, "loading").with("micros", WallClock.micros()));
        AskRun run = new AskRun(Ask.of(order), peers.peer(order), release, announce);
        run.standReady(threads);
        threads.execute(() -> report(order, message -> run.awaitEnd().in(message)));
        link.tell(about(order, "ready"));
    }

    private void hit(Message order) throws Exception {
        HitRun run = new HitRun(Hits.of(order), peers.peer(order), release);
        run.standReady();
        threads.execute(() -> report(order, message -> run.awaitEnd().in(message)));
        link.tell(about(order, "ready"));
    }

    private void walk(Message order) throws InterruptedException {
        SeriesRun run = new SeriesRun(Series.of(order), peers.peer(order), release);
        run.standReady(threads);
        threads.execute(() -> report(order, message -> run.awaitEnd().in(message)));
        link.tell(about(order, "ready"));
    }

    private void know(Message order) {
        peers.peer(order).know(() -> keys(order));
        link.tell(about(order, "ready"));
    }

    private void count(Message order) {
        OptionalLong impossible = peers.peer(order).countImpossible(keys(order));
        link.tell(about(order, "ready"));
        link.tell(about(order, "counted").with("impossible", impossible.isPresent() ? impossible.getAsLong() : ""));
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
        try {
            link.tell(end.addTo(about(order, "answers")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove(Message order) {
        Duration after = Duration.parse(order.text("after"));
        Peer peer = peers.peer(order);
        CompletableFuture<Long> released = release;
        threads.execute(() -> {
            try {
                WallClock.awaitMicros(released.join() + after.toNanos() / 1_000);
                peer.remove(order.text("key"));
                link.tell(about(order, "removed").with("micros", WallClock.micros()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        link.tell(about(order, "ready"));
    }

    private static Message about(Message order, String verb) {
        return Message.of(verb).with("ticket", order.number("ticket"));
    }
}
