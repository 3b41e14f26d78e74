package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;

/** One hot product with a TTL of one second, under steady load. It is in the cache when the load begins. */
final class ExpiryScenario implements Scenario {
    private static final int HOT = 42;
    private static final Duration TTL = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "expiry";
    }

    @Override
    public CachePolicy policy(Plan plan) {
        // No jitter, which is for keys that were stored together: so each TTL is a whole second.
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
    public String plainMeaning(Figures plain, Plan plan) {
        return "one product with a TTL of 1 s cost %,d queries in %s, and 1 get in 100 took over %s"
                .formatted(plain.queries().size(), Words.duration(plan.runMillis()), Words.p99(plain));
    }

    @Override
    public String guardedMeaning(Figures guarded, Plan plan) {
        return "%s in %s with a TTL of 1 s, and 99 gets in 100 took under %s, as the stale product was served meanwhile"
                .formatted(
                        Words.queries(guarded.queries().size()), Words.duration(plan.runMillis()), Words.p99(guarded));
    }
}
