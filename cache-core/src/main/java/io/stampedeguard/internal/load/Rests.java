package io.stampedeguard.internal.load;

import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;

/**
 * The time for which a key rests after a reload in the background, so that it is not tried again at each hit of the near cache.
 *
 * @param brief after one that may have come to nothing; no entry in use goes stale meanwhile if it was stored
 * @param withoutStore after one for which the store did not answer
 * @param afterFailure after one that failed: none if the key cools down, because the store then answers the next request
 */
public record Rests(Duration brief, Duration withoutStore, Duration afterFailure) {
    public static Rests of(CachePolicy policy) {
        Duration quarter = policy.softTtl().dividedBy(4);
        Duration brief = quarter.compareTo(policy.maxPollInterval()) < 0 ? quarter : policy.maxPollInterval();
        return new Rests(
                brief, policy.maxPollInterval(), policy.initialCoolDown().isZero() ? brief : Duration.ZERO);
    }
}
