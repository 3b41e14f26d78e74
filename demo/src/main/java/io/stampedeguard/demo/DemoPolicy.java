package io.stampedeguard.demo;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import java.time.Duration;

/** What the policies of all scenarios have in common. */
final class DemoPolicy {
    private static final int MAX_CONCURRENT_LOADS = 4;

    private DemoPolicy() {}

    static CachePolicyBuilder withSoftTtl(Duration softTtl) {
        return CachePolicy.builder().softTtl(softTtl).maxConcurrentLoads(MAX_CONCURRENT_LOADS);
    }
}
