package io.stampedeguard.demo.serve.stage;

import io.stampedeguard.demo.serve.member.MemberMain;
import io.stampedeguard.demo.serve.member.Orders;
import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A place in a fleet. It holds a process, and if that ends for any reason, another one takes the place some seconds later.
 * <em>Thread-safe.</em>
 */
public final class Seat implements AutoCloseable {
    public static final Duration EMPTY_FOR = Duration.ofSeconds(5);

    /** A process reports four times a second; one that is silent for so long is replaced. */
    static final Duration SILENT_AT_MOST = Duration.ofSeconds(20);

    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final long SCRAPED_WITHIN_SECONDS = 2;

    /** The page shows a stopped Redis, so the log does not need to. */
    private static final MemberCommand COMMAND =
            MemberCommand.small(MemberMain.class, 128).logging("off");

    private final Supplier<Message> connect;
    private final Supplier<Message> live;
    private final String name;
    private final BiConsumer<Seat, Message> reports;
    private final Thread thread;

    /** The next answer to a scrape, which all waiting scrapes share. */
    private final AtomicReference<CompletableFuture<String>> scraped = new AtomicReference<>(new CompletableFuture<>());

    /** The answer to the last request to build the key filter. */
    private final AtomicReference<CompletableFuture<Boolean>> filter = new AtomicReference<>(new CompletableFuture<>());

    private final CountDownLatch filled = new CountDownLatch(1);
    private volatile @Nullable FleetMember connected;
    private volatile boolean waiting;

    /** The messages are those of {@link LiveFleet}; {@code reports} receives this seat and each report of its process. */
    Seat(String name, Supplier<Message> connect, Supplier<Message> live, BiConsumer<Seat, Message> reports) {
        this.name = name;
        this.connect = connect;
        this.live = live;
        this.reports = reports;
        this.thread = Daemon.start(name, this::keepTaken);
    }

    private void keepTaken() {
        try {
            while (true) {
                sitUntilItEnds();
                TimeUnit.MILLISECONDS.sleep(EMPTY_FOR.toMillis());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void sitUntilItEnds() throws InterruptedException {
        try (Fleet process = Fleet.start(1, COMMAND)) {
            FleetMember member = process.members().get(0);
            member.send(connect.get());
            while (true) {
                hear(member, nextOf(member));
            }
        } catch (IllegalStateException ended) {
            // It was killed, or this JVM is about to end.
        } catch (RuntimeException e) {
            System.err.println(
                    "a process of the fleet cannot be started, or sent an invalid message: " + e.getMessage());
        } finally {
            connected = null;
            waiting = false;
            filter.get().complete(false);
        }
    }

    /** Checks often, so that a pause of this JVM itself, as by Ctrl-Z, counts as one check only. */
    private static Message nextOf(FleetMember member) throws InterruptedException {
        for (long looks = SILENT_AT_MOST.dividedBy(LOOK); looks > 0; looks--) {
            Message message = member.poll(LOOK);
            if (message != null) {
                return message;
            }
        }
        throw new IllegalStateException(member + " is silent");
    }

    private void hear(FleetMember member, Message message) {
        switch (message.verb()) {
            case MemberMain.WAITING -> waiting = true;
            case MemberMain.CONNECTED -> begin(member);
            case Orders.FILLED -> filled.countDown();
            case Orders.FILTER_BUILT -> filter.get().complete(true);
            case Orders.FILTER_NOT_BUILT -> filter.get().complete(false);
            case Orders.SCRAPED -> scraped.get().complete(message.text("text"));
            default -> reports.accept(this, message);
        }
    }

    /**
     * Lets a process take part: from now on it gets the messages to all processes, and it gets the current state. If the state
     * changes between reading and sending, the process may get the messages in the wrong order: then the state is sent again.
     */
    private void begin(FleetMember member) {
        connected = member;
        waiting = false;
        Message told;
        do {
            told = live.get();
            member.send(told);
        } while (!told.equals(live.get()));
    }

    /** Lets its process fill the cache, and waits until that is done; returns whether it was in time. */
    boolean fill(Duration within) throws InterruptedException {
        return tell(Orders.fill()) && filled.await(within.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Lets its process build the key filter; completes with false if that fails, or it ends before. For one caller at a time. */
    CompletableFuture<Boolean> buildFilter() {
        CompletableFuture<Boolean> built = new CompletableFuture<>();
        filter.set(built);
        if (!tell(Orders.buildFilter())) {
            built.complete(false);
        }
        return built;
    }

    String name() {
        return name;
    }

    boolean isTaken() {
        return connected != null;
    }

    /** Returns whether its process has reported that it waits for Redis. */
    boolean isWaiting() {
        return waiting;
    }

    boolean tell(Message message) {
        FleetMember member = connected;
        if (member == null) {
            return false;
        }
        try {
            member.send(message);
            return true;
        } catch (IllegalStateException ended) {
            return false;
        }
    }

    /** Kills its process ({@code kill -9}); returns whether there was one. */
    boolean kill() {
        FleetMember member = connected;
        if (member == null) {
            return false;
        }
        connected = null;
        member.kill();
        return true;
    }

    /** Returns the metrics of its process, in the format of Prometheus; empty if it does not answer. */
    String scrape() throws InterruptedException {
        CompletableFuture<String> answer =
                scraped.updateAndGet(last -> last.isDone() ? new CompletableFuture<>() : last);
        try {
            return tell(Orders.scrape()) ? answer.get(SCRAPED_WITHIN_SECONDS, TimeUnit.SECONDS) : "";
        } catch (TimeoutException | ExecutionException noAnswer) {
            return "";
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
