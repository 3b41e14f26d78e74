package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
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
    public String plainMeaning(Figures plain, Plan plan) {
        return "one product with a TTL of 1 s cost %s in %s: %s waited, the slowest for %s"
                .formatted(
                        Words.queries(plain.queries().size()),
                        Words.duration(plan.runMillis()),
                        Words.gets(plain.waited()),
                        Words.longest(plain));
    }

    @Override
    public String guardedMeaning(Figures guarded, Plan plan) {
        return "reloads begin when the product is stale, which is served meanwhile: %s, %s"
                .formatted(Words.queries(guarded.queries().size()), whatCallersSaw(guarded));
    }

    @Override
    public String nearMeaning(Figures near, Plan plan) {
        return "reloads begin earlier, and each process keeps a copy: %s, %s"
                .formatted(Words.queries(near.queries().size()), whatCallersSaw(near));
    }

    private static String whatCallersSaw(Figures figures) {
        return "%s waited, %s returned a stale product, 99 in 100 took under %s, and each cost Redis %s commands"
                .formatted(
                        Words.gets(figures.waited()),
                        Words.gets(figures.stale()),
                        Words.p99(figures),
                        "%.2f".formatted(figures.redisCommandsPerGet()));
    }
}
