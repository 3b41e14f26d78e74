package io.stampedeguard.demo.serve;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** One of the two fleets: its seats, and the sum of what is reported from there. <em>Thread-safe.</em> */
final class LiveFleet implements AutoCloseable {
    private final Side side;
    private final List<Seat> seats = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, Long> waiting = new HashMap<>();
    private Histogram took = Latencies.empty();
    private Tally total = Tally.ZERO;
    private Tally totalBefore = Tally.ZERO;

    /** {@code connect} is what each process is told first, besides which one it is. */
    LiveFleet(Side side, Supplier<Message> connect) {
        this.side = side;
        for (int i = 0; i < Load.PROCESSES; i++) {
            int index = i;
            String name = side + "-" + (i + 1);
            seats.add(new Seat(
                    name,
                    () -> connect.get().with("side", side.name()).with("process", name),
                    report -> add(index, report)));
        }
    }

    private void add(int index, Message report) {
        Tally counted = Tally.of(report);
        Histogram more = Latencies.decode(report.text(Reporter.LATENCIES));
        lock.lock();
        try {
            total = total.plus(counted);
            took.add(more);
            waiting.merge(index, report.number(Reporter.WAITING), Math::max);
        } finally {
            lock.unlock();
        }
    }

    /** Tells what was reported since this was last asked for. */
    Second second() {
        int processes = processes();
        lock.lock();
        try {
            long waited = waiting.values().stream().mapToLong(Long::longValue).sum();
            Second second = new Second(processes, total.minus(totalBefore), total, waited, took);
            totalBefore = total;
            took = Latencies.empty();
            waiting.clear();
            return second;
        } finally {
            lock.unlock();
        }
    }

    Tally total() {
        lock.lock();
        try {
            return total;
        } finally {
            lock.unlock();
        }
    }

    int processes() {
        return (int) seats.stream().filter(Seat::isTaken).count();
    }

    /** Has the first process fill the cache and waits for it. */
    void fill(Duration within) throws InterruptedException {
        if (!seats.get(0).fill(within)) {
            throw new IllegalStateException("the cache of " + this + " does not get filled");
        }
    }

    void tellAll(Message message) {
        seats.forEach(seat -> seat.tell(message));
    }

    /** Tells the first process that there is; it acts for the fleet. */
    void tellOne(Message message) {
        for (Seat seat : seats) {
            if (seat.tell(message)) {
                return;
            }
        }
    }

    /** Kills the last process that there is. */
    void killOne() {
        for (int i = seats.size() - 1; i >= 0; i--) {
            if (seats.get(i).kill()) {
                return;
            }
        }
    }

    List<String> scrape() throws InterruptedException {
        List<String> scraped = new ArrayList<>();
        for (Seat seat : seats) {
            scraped.add(seat.scrape());
        }
        return scraped;
    }

    /** Tells which of the two it is. */
    @Override
    public String toString() {
        return "fleet " + side;
    }

    @Override
    public void close() {
        seats.forEach(Seat::close);
    }
}
