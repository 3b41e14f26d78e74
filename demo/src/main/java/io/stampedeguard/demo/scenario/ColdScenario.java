package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
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

    @Override
    public String plainMeaning(Figures plain, Plan plan) {
        return "%,d callers asked for one product at once and sent %,d queries; the last answer took %s"
                .formatted(plain.gets(), plain.queries().size(), Words.longest(plain));
    }

    @Override
    public String guardedMeaning(Figures guarded, Plan plan) {
        return "%s served all %,d, the last after %s"
                .formatted(Words.queries(guarded.queries().size()), guarded.gets(), Words.longest(guarded));
    }
}
