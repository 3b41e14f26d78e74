package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.HdrHistogram.Histogram;

/**
 * A process' reports on its calls, four times a second: the counts since the last report, the highest number of stuck callers,
 * whether it loads, the latencies of calls, and the time that pending calls have taken so far. So a stampede is visible while it
 * lasts. <em>Thread-safe.</em>
 */
public final class Reporter {
    public static final String REPORT = "report";
    public static final String STUCK = "stuck";
    public static final String LOADING = "loading";
    public static final String LATENCIES = "latencies";

    /** Separate, since a call that waits for a second is in four reports. */
    public static final String STILL = "still";

    private static final int LOOKS = 10;
    private static final long BETWEEN_LOOKS_MILLIS = 25;

    private final FleetLink link;
    private final Counts counts;
    private final SparedLoads spared;
    private final InFlight inFlight;
    private final IntSupplier loading;
    private Histogram ended = Second.noLatencies();

    /** {@code loading} is the number of queries in progress. */
    Reporter(FleetLink link, Counts counts, SparedLoads spared, InFlight inFlight, IntSupplier loading) {
        this.link = link;
        this.counts = counts;
        this.spared = spared;
        this.inFlight = inFlight;
        this.loading = loading;
    }

    synchronized void ended(long micros) {
        ended.recordValue(Second.bounded(micros));
    }

    /** Reports until this thread is interrupted. */
    void run() throws InterruptedException {
        while (true) {
            long stuck = 0;
            for (int look = 0; look < LOOKS; look++) {
                TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
                stuck = Math.max(stuck, inFlight.stuck(Load.CALLERS));
            }
            link.send(report(stuck));
        }
    }

    private Message report(long stuck) {
        Histogram took = take();
        Histogram still = Second.noLatencies();
        inFlight.stuckMicros().forEach(micros -> still.recordValue(Second.bounded(micros)));
        spared.addTo(counts);
        return counts.moveInto(Message.of(REPORT))
                .with(STUCK, stuck)
                .with(LOADING, loading.getAsInt())
                .with(LATENCIES, Latencies.encode(took))
                .with(STILL, Latencies.encode(still));
    }

    private synchronized Histogram take() {
        Histogram fresh = Second.noLatencies();
        Histogram taken = ended;
        ended = fresh;
        return taken;
    }
}
