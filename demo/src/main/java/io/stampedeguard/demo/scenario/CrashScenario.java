package io.stampedeguard.demo.scenario;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;

/** One hot product takes long to load; the process that loads it is killed while all callers of the fleet request it. */
final class CrashScenario implements Scenario {
    private static final int HOT = 42;
    private static final int LONGEST_WORK_MILLIS = 2_000;
    private static final int LONGEST_LEASE_MILLIS = 2_000;
    private static final double SHARE_OF_A_RUN = 0.25;

    /** The process is killed during its work, so the work needs no end. */
    private static final Duration WITHOUT_END = Duration.ofMinutes(1);

    @Override
    public String name() {
        return "crash";
    }

    @Override
    public ProductRead read() {
        return ProductRead.REVIEWS;
    }

    /** In a short run leases are short, too, since all callers wait for the end of one. */
    @Override
    public CachePolicy policy(Plan plan) {
        Duration lease =
                Duration.ofMillis(Math.min(LONGEST_LEASE_MILLIS, 2 * work(plan).toMillis()));
        return DemoPolicy.withSoftTtl(Duration.ofMinutes(5)).leaseTtl(lease).build();
    }

    @Override
    public boolean crashes() {
        return true;
    }

    @Override
    public Duration work(Plan plan, int index) {
        return index == plan.processes() ? WITHOUT_END : work(plan);
    }

    @Override
    public CallerScript script(Share share) {
        return CallerScript.once(HOT);
    }

    @Override
    public int expectedMillis(Plan plan) {
        return 2 * (int) work(plan).toMillis();
    }

    /** The others wait until the lease of the killed process has ended. */
    @Override
    public Verdict verdict(Plan plan) {
        return Verdict.of(
                "the loader is killed",
                Words::queries,
                "price: first answer",
                figures -> first(figures) + (figures.mode() == Mode.GUARDED ? lease(plan) : ""));
    }

    private String lease(Plan plan) {
        return " (lease: %s)"
                .formatted(Words.duration((double) policy(plan).leaseTtl().toMillis()));
    }

    private static Duration work(Plan plan) {
        return Duration.ofMillis((long) Math.min(LONGEST_WORK_MILLIS, SHARE_OF_A_RUN * plan.runMillis()));
    }

    private static String first(Figures figures) {
        return Words.duration(
                requireNonNull(figures.aftermath(), "no process was killed").firstAnswerMillis());
    }
}
