package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What a process does with what it is told. For one thread; what it starts runs on others. */
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
        threads.execute(() -> report(order, run::awaitEnd));
        link.tell(about(order, "ready"));
    }

    private void hit(Message order) throws Exception {
        HitRun run = new HitRun(Hits.of(order), peers.peer(order), release);
        run.standReady();
        threads.execute(() -> report(order, run::awaitEnd));
        link.tell(about(order, "ready"));
    }

    /** What callers were answered, once they all are. */
    @FunctionalInterface
    private interface End {
        Answers await() throws InterruptedException;
    }

    private void report(Message order, End end) {
        try {
            link.tell(end.await().in(about(order, "answers")));
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
