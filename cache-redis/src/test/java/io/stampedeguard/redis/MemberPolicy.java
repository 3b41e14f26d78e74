package io.stampedeguard.redis;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/** The policy of a {@link CacheMember}, as set by its parent; everything else has its default. */
final class MemberPolicy {
    private MemberPolicy() {}

    static CachePolicy of(Message open) {
        CachePolicy defaults = CachePolicy.defaults();
        return CachePolicy.builder()
                .leaseTtl(length(open, "leaseMillis", defaults.leaseTtl()))
                .waitTimeout(length(open, "waitMillis", defaults.waitTimeout()))
                .loadTimeout(length(open, "loadTimeoutMillis", defaults.loadTimeout()))
                .failureCoolDown(length(open, "coolDownMillis", defaults.failureCoolDown()))
                .maxConcurrentLoads((int) open.number("maxLoads"))
                .build();
    }

    private static Duration length(Message open, String name, Duration otherwise) {
        String millis = open.fields().get(name);
        return millis == null ? otherwise : Duration.ofMillis(Long.parseLong(millis));
    }
}
