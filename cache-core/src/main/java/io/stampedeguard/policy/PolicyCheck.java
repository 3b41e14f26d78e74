package io.stampedeguard.policy;

import java.time.Duration;

/** The ranges of the settings of a policy, and the conflicts between them. */
final class PolicyCheck {
    private static final Duration DEFAULT_SOFT_TTL = new CachePolicyBuilder().softTtl;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration LONGEST_NEGATIVE = Duration.ofMinutes(5);

    private PolicyCheck() {}

    /** Throws an exception that names the setting and the values if a setting is out of range, or in conflict with another. */
    static void check(CachePolicy policy) {
        between("softTtl", policy.softTtl(), SHORTEST, LONGEST);
        between("hardTtl", policy.hardTtl(), SHORTEST, LONGEST);
        require(
                policy.hardTtl().compareTo(policy.softTtl()) >= 0,
                "hardTtl " + policy.hardTtl() + " is shorter than softTtl " + policy.softTtl()
                        + (policy.softTtl().equals(DEFAULT_SOFT_TTL) ? ", which is the default: set both" : ""));
        between("negativeTtl", policy.negativeTtl(), Duration.ZERO, LONGEST_NEGATIVE);
        between("leaseTtl", policy.leaseTtl(), SHORTEST, LONGEST);
        between("loadTimeout", policy.loadTimeout(), SHORTEST, LONGEST);
        between("failureCoolDown", policy.failureCoolDown(), Duration.ZERO, CachePolicy.LONGEST_BACKOFF);
        between("waitTimeout", policy.waitTimeout(), SHORTEST, LONGEST);
        between("poll", policy.poll(), SHORTEST, CachePolicy.LONGEST_BACKOFF);
        between("maxStalenessWhenDisconnected", policy.maxStalenessWhenDisconnected(), Duration.ZERO, LONGEST);
        require(policy.jitter() >= 0 && policy.jitter() < 1, "jitter " + policy.jitter() + " is not in [0, 1)");
        require(
                policy.earlyRefresh() >= 0 && policy.earlyRefresh() <= 10,
                "earlyRefresh " + policy.earlyRefresh() + " is not in [0, 10]");
        require(
                policy.maxConcurrentLoads() >= 1,
                "maxConcurrentLoads " + policy.maxConcurrentLoads() + " is less than 1");
        Integer originBudget = policy.originBudget();
        require(originBudget == null || originBudget >= 1, "originBudget " + originBudget + " is less than 1");
        require(policy.maxPayloadBytes() >= 1, "maxPayloadBytes " + policy.maxPayloadBytes() + " is less than 1");
    }

    private static void between(String name, Duration length, Duration shortest, Duration longest) {
        require(length.compareTo(shortest) >= 0, name + " " + length + " is shorter than " + shortest);
        require(length.compareTo(longest) <= 0, name + " " + length + " is longer than " + longest);
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalArgumentException(complaint);
        }
    }
}
