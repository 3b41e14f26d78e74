package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.redis.internal.command.EntryReads.Generation;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The inspection of both Redis keys of a cache key, and of its cache's generation: five plain reads in one round trip, and the
 * interpretation of the lease as in {@code lease.lua}. A change between two reads may appear in either state.
 */
public final class Inspection {
    /**
     * The value that {@code fail.lua} stores in place of a lease: failures in a row, cool-down, remembered time; then the
     * failure.
     */
    private static final Pattern FAILED = Pattern.compile("stampedeguard:failed (\\d{1,9}) (\\d{1,15}) (\\d{1,15})\n");

    /** The value that {@code pass.lua} stores in place of a lease: its duration. */
    private static final Pattern PASSED = Pattern.compile("stampedeguard:pass (\\d{1,15})");

    /** The duration of a lease, which follows its token, and its stamp. */
    private static final Pattern LENGTH = Pattern.compile("(\\d{1,15})(?:@(\\d{1,15}))?");

    private static final LeaseAttempt FREE = new LeaseAttempt.Granted(0);

    private Inspection() {}

    public static StoredKey of(String key, Commands commands, RedisKeys keys) {
        byte[] value = keys.value(key);
        byte[] lease = keys.lease(key);
        String cache = RedisKeys.cacheOf(key);
        List<@Nullable Object> answers = commands.requestAll(
                commands.defaultTurn(),
                "inspect",
                key,
                List.of(
                        PlainCommand.entry(value),
                        PlainCommand.ttl(value),
                        PlainCommand.entry(lease),
                        PlainCommand.ttl(lease),
                        PlainCommand.entry(keys.generation(cache))));
        commands.generations().learn(cache, PlainCommand.entryIn(answers.get(4)));
        LeaseAttempt state = state(
                PlainCommand.entryIn(answers.get(2)),
                life(answers.get(3)),
                commands.reads().toldWith(value));
        return new StoredKey(PlainCommand.entryIn(answers.get(0)), life(answers.get(1)), state);
    }

    private static @Nullable Duration life(@Nullable Object answer) {
        long millis = (Long) requireNonNull(answer);
        return millis < 0 ? null : Duration.ofMillis(millis);
    }

    /** Interprets a lease like {@code lease.lua}: a value that is not a string, or has no TTL, does not block a lease. */
    private static LeaseAttempt state(
            byte @Nullable [] lease, @Nullable Duration life, @Nullable Generation generation) {
        if (lease == null || life == null) {
            return FREE;
        }
        String text = new String(lease, StandardCharsets.ISO_8859_1); // a character for each byte
        Matcher failed = FAILED.matcher(text);
        if (failed.lookingAt()) {
            return coolingDown(failed, Arrays.copyOfRange(lease, failed.end(), lease.length), life);
        }
        Matcher passed = PASSED.matcher(text);
        return passed.matches()
                ? new LeaseAttempt.NotCacheable(shorter(life, millis(passed.group(1))))
                : held(lease, text, life, generation);
    }

    private static LeaseAttempt coolingDown(Matcher failed, byte[] failure, Duration life) {
        int failures = Integer.parseInt(failed.group(1));
        Duration cooling = shorter(life.minus(millis(failed.group(3))), millis(failed.group(2)));
        return cooling.isNegative() || cooling.isZero()
                ? new LeaseAttempt.Granted(failures)
                : new LeaseAttempt.Failed(failure, cooling, failures);
    }

    private static LeaseAttempt held(byte[] lease, String text, Duration life, @Nullable Generation generation) {
        Matcher length = LENGTH.matcher(lease.length < LeaseToken.BYTES ? "" : text.substring(LeaseToken.BYTES));
        if (!length.matches()) {
            return new LeaseAttempt.Held(null, life);
        }
        String stamp = length.group(2);
        return generation != null && generation.isAbove(stamp == null ? 0 : Long.parseLong(stamp))
                ? FREE
                : new LeaseAttempt.Held(LeaseToken.startOf(lease), shorter(life, millis(length.group(1))));
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }

    /** If the server's clock was set back, nothing lasts longer. */
    private static Duration shorter(Duration life, Duration length) {
        return life.compareTo(length) < 0 ? life : length;
    }
}
