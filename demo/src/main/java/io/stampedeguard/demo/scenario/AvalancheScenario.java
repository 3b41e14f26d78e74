package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.policy.CachePolicy;
import java.sql.SQLException;
import java.time.Duration;

/** Ten thousand products are stored together with one TTL, and expire under load. */
final class AvalancheScenario implements Scenario {
    @Override
    public String name() {
        return "avalanche";
    }

    @Override
    public CachePolicy policy(Plan plan) {
        Duration untilExpiry = Duration.ofMillis(plan.runMillis() / 3);
        return DemoPolicy.withSoftTtl(untilExpiry)
                .hardTtl(untilExpiry.plusMinutes(10))
                .build();
    }

    @Override
    public void fill(Share share) throws SQLException {
        int from = share.index() * Catalogue.PRODUCTS / share.plan().processes() + 1;
        int to = (share.index() + 1) * Catalogue.PRODUCTS / share.plan().processes();
        share.origin().readAll(read(), from, to, share.products()::put);
    }

    @Override
    public CallerScript script(Share share) {
        return caller -> new PacedKeys(share, caller, random -> random.nextInt(1, Catalogue.PRODUCTS + 1));
    }

    @Override
    public String plainMeaning(Figures plain, Plan plan) {
        return "%,d products expired together, up to %,d of %,d callers used the database at once, the slowest get took %s"
                .formatted(
                        Catalogue.PRODUCTS,
                        plain.queries().runningOrQueued().most(),
                        plain.allCallers(),
                        Words.longest(plain));
    }

    @Override
    public String guardedMeaning(Figures guarded, Plan plan) {
        return "never more than %,d queries at once (the bound is %,d), and 99 gets in 100 took under %s"
                .formatted(
                        guarded.maxConcurrentQueries(),
                        plan.processes() * policy(plan).maxConcurrentLoads(),
                        Words.p99(guarded));
    }
}
