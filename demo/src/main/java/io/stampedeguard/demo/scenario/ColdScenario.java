package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;

/** One hot product is not in the cache, and all callers of the fleet request it at the same instant. */
public final class ColdScenario implements Scenario {
    private static final int HOT = 42;

    @Override
    public String name() {
        return "cold";
    }

    @Override
    public CachePolicy policy(Plan plan) {
        return DemoPolicy.withSoftTtl(Duration.ofMinutes(5)).build();
    }

    @Override
    public CallerScript script(Share share) {
        return CallerScript.once(HOT);
    }

    /** Each caller of mode plain waits for a scan of the order lines; they share the processors. */
    @Override
    public int expectedMillis(Plan plan) {
        return plan.orderLines() / 10;
    }

    @Override
    public Verdict verdict(Plan plan) {
        return Verdict.of("one key is missing", Words::queries, "last answer after", Words::longest);
    }
}
