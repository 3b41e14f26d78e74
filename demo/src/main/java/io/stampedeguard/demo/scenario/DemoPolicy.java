package io.stampedeguard.demo.scenario;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import java.time.Duration;

/** The common part of the policies of all scenarios. */
public final class DemoPolicy {
    private static final int MAX_CONCURRENT_LOADS = 4;

    /** Generous, since the database has low priority and the machine may be busy. */
    private static final Duration WAIT_TIMEOUT = Duration.ofSeconds(60);

    /** Generous, too: a process that gets no processor for two seconds is not dead. */
    private static final Duration LEASE_TTL = Duration.ofSeconds(10);

    private DemoPolicy() {}

    public static CachePolicyBuilder withSoftTtl(Duration softTtl) {
        return CachePolicy.builder()
                .softTtl(softTtl)
                .maxConcurrentLoads(MAX_CONCURRENT_LOADS)
                .leaseTtl(LEASE_TTL)
                .waitTimeout(WAIT_TIMEOUT);
    }
}
