package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import java.util.List;

/** One hot product with a TTL of one second, under steady load. It is in the cache when the load begins. */
final class ExpiryScenario implements Scenario {
    private static final int HOT = 42;
    private static final Duration TTL = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "expiry";
    }

    @Override
    public List<Mode> modes() {
        return List.of(Mode.PLAIN, Mode.GUARDED, Mode.GUARDED_NEAR);
    }

    @Override
    public CachePolicy policy(Plan plan) {
        // No jitter, which helps keys that were stored together: so each TTL is exactly one second.
        return DemoPolicy.withSoftTtl(TTL)
                .hardTtl(Duration.ofMinutes(1))
                .jitter(0)
                .build();
    }

    @Override
    public void fill(Share share) {
        if (share.index() == 0) {
            share.products().get(HOT);
        }
    }

    @Override
    public CallerScript script(Share share) {
        return caller -> new PacedKeys(share, caller, random -> HOT);
    }

    @Override
    public int expectedMillis(Plan plan) {
        return plan.runMillis();
    }

    @Override
    public Verdict verdict(Plan plan) {
        return Verdict.of(
                "a hot key, TTL 1 s",
                Words::queries,
                "gets that waited",
                figures -> "%,d of %,d".formatted(figures.waited(), figures.gets()));
    }
}
