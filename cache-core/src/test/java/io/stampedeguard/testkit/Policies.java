package io.stampedeguard.testkit;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import java.time.Duration;

/** Policies under which entries live for exactly their TTLs. */
public final class Policies {
    private Policies() {}

    /** Returns a policy without jitter and without early refresh. */
    public static CachePolicyBuilder exact(Duration softTtl, Duration hardTtl) {
        return withoutJitter(softTtl, hardTtl).earlyRefresh(0);
    }

    /** Returns a policy without jitter. */
    public static CachePolicyBuilder withoutJitter(Duration softTtl, Duration hardTtl) {
        return CachePolicy.builder().softTtl(softTtl).hardTtl(hardTtl).jitter(0);
    }
}
