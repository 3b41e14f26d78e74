package io.stampedeguard.benchmarks.crew;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a process does with what it is told. For one thread; what it starts runs on others. */
final class Member {
    private final FleetLink link;
    private final Map<String, Peer> peers;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });
    private CompletableFuture<Long> release = new CompletableFuture<>();

    Member(FleetLink link, Message open) {
        this.link = link;
        this.peers = List.of(open.text("peers").split(",")).stream()
                .collect(Collectors.toMap(Function.identity(), name -> open(name, open.text("redis"))));
    }

    private static Peer open(String name, String redis) {
        PeerKind kind = Peers.named(name);
        return kind.open(redis);
    }

    void take(Message order) throws InterruptedException {
        switch (order.verb()) {
            case "ask" -> ask(order);
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
        AskRun run = new AskRun(Ask.of(order), peer(order), release, announce);
        run.standReady(threads);
        threads.execute(() -> report(order, run));
        link.tell(about(order, "ready"));
    }

    private void report(Message order, AskRun run) {
        try {
            link.tell(run.awaitEnd().in(about(order, "answers")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove(Message order) {
        Duration after = Duration.parse(order.text("after"));
        Peer peer = peer(order);
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

    private Peer peer(Message order) {
        return requireNonNull(peers.get(order.text("peer")), order::toString);
    }

    private static Message about(Message order, String verb) {
        return Message.of(verb).with("ticket", order.number("ticket"));
    }
}
