package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.demo.trace.ZipfTrace;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A trace of requests, as fast as the callers can, on an empty cache. The processes take turns: of four, the first replays every
 * fourth request. Products are read by index; otherwise millions of requests would take hours in mode plain.
 */
public final class ReplayScenario implements Scenario {
    private static final Duration LONGER_THAN_THE_RUN = Duration.ofHours(1);
    private static final int REQUESTS_PER_KEY = 20;

    @Override
    public String name() {
        return "replay";
    }

    @Override
    public List<Mode> modes() {
        return List.of(Mode.PLAIN, Mode.PLAIN_BOUNDED, Mode.GUARDED);
    }

    @Override
    public ProductRead read() {
        return ProductRead.REVIEWS;
    }

    @Override
    public CachePolicy policy(Plan plan) {
        return DemoPolicy.withSoftTtl(LONGER_THAN_THE_RUN).build();
    }

    @Override
    public CallerScript script(Share share) throws IOException {
        int[] requests = requests(share.plan());
        int step = share.plan().processes();
        AtomicInteger turn = new AtomicInteger();
        return caller -> () -> {
            long at = share.index() + (long) turn.getAndIncrement() * step;
            return at < requests.length ? requests[(int) at] : CallerScript.Keys.END;
        };
    }

    public static int[] requests(Plan plan) throws IOException {
        Path trace = plan.trace();
        int keys = Math.max(1, plan.requests() / REQUESTS_PER_KEY);
        return trace != null
                ? TraceFile.read(trace)
                : new ZipfTrace(plan.requests(), keys, ZipfTrace.PRODUCTION_EXPONENT, plan.seed()).draw();
    }

    @Override
    public int expectedMillis(Plan plan) {
        return plan.requests() / 25;
    }

    /** A key that nobody else requests costs a lease, and so a second round trip. */
    @Override
    public Verdict verdict(Plan plan) {
        return Verdict.of(
                "a trace is replayed",
                Words::queries,
                "price: 99 % within",
                figures -> Words.p99(figures) + (figures.mode() == Mode.GUARDED ? " (+1 round trip)" : ""));
    }
}
