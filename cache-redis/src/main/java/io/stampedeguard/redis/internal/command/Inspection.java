package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.command.KeyedCommand.PlainRead;
import io.stampedeguard.store.LeaseState;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.StoredKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The inspection of both Redis keys of a cache key: four plain reads in one round trip, and the interpretation of the lease as
 * in {@code lease.lua}. A change between two reads may appear in either state.
 */
public final class Inspection {
    /**
     * The value that {@code fail.lua} stores in place of a lease: failures in a row, cool-down, remembered time; then the
     * failure.
     */
    private static final Pattern FAILED = Pattern.compile("stampedeguard:failed (\\d{1,9}) (\\d{1,15}) (\\d{1,15})\n");

    /** The value that {@code pass.lua} stores in place of a lease: its duration. */
    private static final Pattern PASSED = Pattern.compile("stampedeguard:pass (\\d{1,15})");

    /** The duration of a lease, which follows its token. */
    private static final Pattern LENGTH = Pattern.compile("\\d{1,15}");

    private static final LeaseState FREE = new LeaseState.Free(0);

    private enum Question {
        VALUE,
        VALUE_LIFE,
        LEASE,
        LEASE_LIFE
    }

    private Inspection() {}

    public static StoredKey of(String key, Commands commands, RedisKeys keys) {
        byte[] value = keys.value(key);
        byte[] lease = keys.lease(key);
        Map<Question, KeyedCommand> questions = new LinkedHashMap<>();
        questions.put(Question.VALUE, PlainRead.entry(value));
        questions.put(Question.VALUE_LIFE, PlainRead.ttl(value));
        questions.put(Question.LEASE, PlainRead.entry(lease));
        questions.put(Question.LEASE_LIFE, PlainRead.ttl(lease));
        Map<Question, @Nullable Object> answers = commands.askAll(commands.defaultTurn(), "inspect", key, questions);
        return new StoredKey(
                bytes(answers, Question.VALUE),
                life(answers, Question.VALUE_LIFE),
                state(bytes(answers, Question.LEASE), life(answers, Question.LEASE_LIFE)));
    }

    private static byte @Nullable [] bytes(Map<Question, @Nullable Object> answers, Question question) {
        return PlainRead.entryIn(requireNonNull(answers.get(question)));
    }

    private static @Nullable Duration life(Map<Question, @Nullable Object> answers, Question question) {
        long millis = (Long) requireNonNull(answers.get(question));
        return millis < 0 ? null : Duration.ofMillis(millis);
    }

    /** Interprets a lease like {@code lease.lua}: a value that is not a string, or has no TTL, does not block a lease. */
    private static LeaseState state(byte @Nullable [] lease, @Nullable Duration life) {
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
                ? new LeaseState.NotCacheable(shorter(life, millis(passed.group(1))))
                : held(lease, text, life);
    }

    private static LeaseState coolingDown(Matcher failed, byte[] failure, Duration life) {
        int failures = Integer.parseInt(failed.group(1));
        Duration cooling = shorter(life.minus(millis(failed.group(3))), millis(failed.group(2)));
        return cooling.isNegative() || cooling.isZero()
                ? new LeaseState.Free(failures)
                : new LeaseState.CoolingDown(failure, cooling, failures);
    }

    private static LeaseState held(byte[] lease, String text, Duration life) {
        String length = lease.length < LeaseToken.BYTES ? "" : text.substring(LeaseToken.BYTES);
        return LENGTH.matcher(length).matches()
                ? new LeaseState.Held(LeaseToken.startOf(lease), shorter(life, millis(length)))
                : new LeaseState.Held(null, life);
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }

    /** If the server's clock was set back, nothing lasts longer. */
    private static Duration shorter(Duration life, Duration length) {
        return life.compareTo(length) < 0 ? life : length;
    }
}
