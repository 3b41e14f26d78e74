package io.stampedeguard.policy;

import java.time.Duration;

/** The ranges of the settings of a policy, and the conflicts between them. */
final class PolicyCheck {
    private static final Duration DEFAULT_SOFT_TTL = new CachePolicyBuilder().softTtl;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration LONGEST_COOL_DOWN = Duration.ofHours(1);
    private static final Duration LONGEST_CLOSE = Duration.ofHours(1);
    private static final Duration LONGEST_NEGATIVE = Duration.ofMinutes(5);

    private PolicyCheck() {}

    /** Throws an exception that names the setting and the values if a setting is out of range, or in conflict with another. */
    static void check(CachePolicy policy) {
        between("softTtl", policy.softTtl(), SHORTEST, LONGEST);
        between("hardTtl", policy.hardTtl(), SHORTEST, LONGEST);
        ordered("softTtl", policy.softTtl(), "hardTtl", policy.hardTtl());
        between("negativeTtl", policy.negativeTtl(), Duration.ZERO, LONGEST_NEGATIVE);
        between("leaseTtl", policy.leaseTtl(), SHORTEST, LONGEST);
        between("loadTimeout", policy.loadTimeout(), SHORTEST, LONGEST);
        between("initialCoolDown", policy.initialCoolDown(), Duration.ZERO, LONGEST_COOL_DOWN);
        between("maxCoolDown", policy.maxCoolDown(), Duration.ZERO, LONGEST_COOL_DOWN);
        ordered("initialCoolDown", policy.initialCoolDown(), "maxCoolDown", policy.maxCoolDown());
        between("waitTimeout", policy.waitTimeout(), SHORTEST, LONGEST);
        between("closeTimeout", policy.closeTimeout(), Duration.ZERO, LONGEST_CLOSE);
        between("initialPollInterval", policy.initialPollInterval(), SHORTEST, LONGEST);
        between("maxPollInterval", policy.maxPollInterval(), SHORTEST, LONGEST);
        ordered("initialPollInterval", policy.initialPollInterval(), "maxPollInterval", policy.maxPollInterval());
        between("maxStalenessWhenDisconnected", policy.maxStalenessWhenDisconnected(), Duration.ZERO, LONGEST);
        require(policy.jitter() >= 0 && policy.jitter() < 1, "jitter " + policy.jitter() + " is not in [0, 1)");
        require(
                policy.earlyRefresh() >= 0 && policy.earlyRefresh() <= 10,
                "earlyRefresh " + policy.earlyRefresh() + " is not in [0, 10]");
        require(
                policy.refreshAfter() > 0 && policy.refreshAfter() <= 1,
                "refreshAfter " + policy.refreshAfter() + " is not in (0, 1]");
        require(
                policy.maxConcurrentLoads() >= 1,
                "maxConcurrentLoads " + policy.maxConcurrentLoads() + " is less than 1");
        Integer originBudget = policy.originBudget();
        require(originBudget == null || originBudget >= 1, "originBudget " + originBudget + " is less than 1");
        require(policy.originRecoveredAt() > 1, "originRecoveredAt " + policy.originRecoveredAt() + " is not above 1");
        require(
                policy.originStrainedAt() <= 100,
                "originStrainedAt " + policy.originStrainedAt() + " is not at most 100");
        require(
                policy.originStrainedAt() >= policy.originRecoveredAt(),
                "originStrainedAt " + policy.originStrainedAt() + " is less than originRecoveredAt "
                        + policy.originRecoveredAt());
        require(policy.maxPayloadBytes() >= 1, "maxPayloadBytes " + policy.maxPayloadBytes() + " is less than 1");
        require(policy.maxQueuedChanges() >= 1, "maxQueuedChanges " + policy.maxQueuedChanges() + " is less than 1");
    }

    private static void between(String name, Duration length, Duration shortest, Duration longest) {
        require(length.compareTo(shortest) >= 0, name + " " + length + " is shorter than " + shortest);
        require(length.compareTo(longest) <= 0, name + " " + length + " is longer than " + longest);
    }

    private static void ordered(String shorterName, Duration shorter, String longerName, Duration longer) {
        require(
                longer.compareTo(shorter) >= 0,
                longerName + " " + longer + " is shorter than " + shorterName + " " + shorter
                        + (shorterName.equals("softTtl") && shorter.equals(DEFAULT_SOFT_TTL)
                                ? ", which is the default: set both"
                                : ""));
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalArgumentException(complaint);
        }
    }
}
