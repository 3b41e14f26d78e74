package io.stampedeguard.demo.serve.stage;

import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.member.Orders;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One of the two fleets: its seats, and the sum of their reports. <em>Thread-safe.</em> */
public final class LiveFleet implements AutoCloseable {
    private final Side side;
    private final List<Seat> seats = new ArrayList<>();
    private final Reports reports = new Reports();
    private volatile @Nullable Takeover watched;

    /**
     * {@code connect} is the first message to each process, to which its number is added. {@code live} is the state that a
     * process gets as soon as it is connected, and that all get when it changes.
     */
    LiveFleet(Side side, Supplier<Message> connect, Supplier<Message> live) {
        this.side = side;
        for (int i = 0; i < Load.PROCESSES; i++) {
            int index = i;
            String name = side + "-" + (i + 1);
            seats.add(new Seat(
                    name,
                    () -> connect.get().with("side", side.name()).with("process", name),
                    live,
                    (seat, message) -> hear(index, seat, message)));
        }
    }

    Second second() {
        return reports.second(seats.stream().map(Seat::isTaken).toList());
    }

    private void hear(int index, Seat seat, Message message) {
        if (!message.verb().equals(Orders.LOADS_HOT)) {
            reports.add(index, message);
            return;
        }
        reports.addCounts(index, message);
        Takeover takeover = watched;
        if (takeover != null) {
            takeover.loads(seat);
        }
    }

    public Tally total() {
        return reports.total();
    }

    public int processes() {
        return (int) seats.stream().filter(Seat::isTaken).count();
    }

    /** Returns the number of processes that wait for Redis. */
    int waiting() {
        return (int) seats.stream().filter(Seat::isWaiting).count();
    }

    void fill(Duration within) throws InterruptedException {
        if (!seats.get(0).fill(within)) {
            throw new IllegalStateException("the cache of " + this + " was not filled in time");
        }
    }

    boolean tellAll(Message message) {
        return seats.stream().filter(seat -> seat.tell(message)).count() > 0;
    }

    /** Sends a message to the first existing process, which acts for the fleet; returns whether one exists. */
    boolean tellOne(Message message) {
        return seats.stream().anyMatch(seat -> seat.tell(message));
    }

    CompletableFuture<Boolean> buildFilter() {
        return seats.stream()
                .filter(Seat::isTaken)
                .findFirst()
                .map(Seat::buildFilter)
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    boolean killOne() {
        for (int i = seats.size() - 1; i >= 0; i--) {
            if (seats.get(i).kill()) {
                return true;
            }
        }
        return false;
    }

    /** Lets the process that next begins to load the hot key be killed, and what it left be taken over by another one. */
    Takeover killTheNextThatLoads() {
        Takeover takeover = new Takeover();
        watched = takeover;
        return takeover;
    }

    public List<String> scrape() throws InterruptedException {
        List<String> scraped = new ArrayList<>();
        for (Seat seat : seats) {
            scraped.add(seat.scrape());
        }
        return scraped;
    }

    @Override
    public String toString() {
        return "fleet " + side;
    }

    @Override
    public void close() {
        seats.forEach(Seat::close);
    }
}
