package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.report.Verdict;
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
    public int expectedMillis(Plan plan) {
        return plan.runMillis();
    }

    @Override
    public Verdict verdict(Plan plan) {
        return Verdict.of(
                "%,d keys expire".formatted(Catalogue.PRODUCTS),
                figures -> Words.queries(figures.maxConcurrentQueries()) + " at once",
                "99 % answered within",
                Words::p99);
    }
}
