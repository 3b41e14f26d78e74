package io.stampedeguard.internal.storage;

import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The TTLs of an entry before jitter: those of the policy, unless the loader sets its own.
 *
 * @param soft how long it is fresh
 * @param hard how long it is stored, at least as long
 */
record Ttls(Duration soft, Duration hard) {
    private static final Duration LONGEST_NEGATIVE = Duration.ofMinutes(5);
    private static final Duration LONGEST = Duration.ofDays(3650);

    static Ttls of(LoadedValue<?> loaded, boolean negative, CachePolicy policy) {
        Duration own = atMostLongest(loaded.softTtl());
        if (negative) {
            Duration length = own == null ? policy.negativeTtl() : shorter(own, LONGEST_NEGATIVE);
            return new Ttls(length, length);
        }
        Duration hard = hard(own, atMostLongest(loaded.hardTtl()), policy);
        return new Ttls(shorter(own == null ? policy.softTtl() : own, hard), hard);
    }

    private static Duration hard(@Nullable Duration ownSoft, @Nullable Duration ownHard, CachePolicy policy) {
        if (ownHard != null || ownSoft == null) {
            return ownHard == null ? policy.hardTtl() : ownHard;
        }
        double times =
                (double) policy.hardTtl().toMillis() / (double) policy.softTtl().toMillis();
        return shorter(Duration.ofMillis((long) ((double) ownSoft.toMillis() * times)), LONGEST);
    }

    private static @Nullable Duration atMostLongest(@Nullable Duration length) {
        return length == null ? null : shorter(length, LONGEST);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
