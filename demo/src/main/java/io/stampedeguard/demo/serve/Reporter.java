package io.stampedeguard.demo.serve;

import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;

/**
 * What a process tells of its calls: four times a second what was counted since, how many callers waited at most, and how
 * long calls took, those that are still waiting among them: a stampede is to be seen while it lasts. <em>Thread-safe.</em>
 */
final class Reporter {
    static final String REPORT = "report";
    static final String WAITING = "waiting";
    static final String LATENCIES = "latencies";

    private static final int LOOKS = 10;
    private static final long BETWEEN_LOOKS_MILLIS = 25;

    private final FleetLink link;
    private final Counts counts;
    private final SparedLoads spared;
    private final InFlight inFlight;
    private final ReentrantLock lock = new ReentrantLock();
    private Histogram ended = Latencies.empty();

    Reporter(FleetLink link, Counts counts, SparedLoads spared, InFlight inFlight) {
        this.link = link;
        this.counts = counts;
        this.spared = spared;
        this.inFlight = inFlight;
    }

    /** A call has ended. */
    void ended(long micros) {
        lock.lock();
        try {
            ended.recordValue(Latencies.bounded(micros));
        } finally {
            lock.unlock();
        }
    }

    /** Reports until this thread is interrupted. */
    void run() throws InterruptedException {
        while (true) {
            long waiting = 0;
            for (int look = 0; look < LOOKS; look++) {
                TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
                waiting = Math.max(waiting, inFlight.waitingMicros().count());
            }
            Histogram took = take();
            inFlight.waitingMicros().forEach(micros -> took.recordValue(Latencies.bounded(micros)));
            spared.addTo(counts);
            link.tell(
                    counts.moveInto(Message.of(REPORT)).with(WAITING, waiting).with(LATENCIES, Latencies.encode(took)));
        }
    }

    private Histogram take() {
        Histogram fresh = Latencies.empty();
        lock.lock();
        try {
            Histogram taken = ended;
            ended = fresh;
            return taken;
        } finally {
            lock.unlock();
        }
    }
}
