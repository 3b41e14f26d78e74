package io.stampedeguard.redis.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static redis.clients.jedis.params.SetParams.setParams;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisFleet;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Trap 9: the same TTL for a batch. Entries stored together expire together. */
final class SameTtlTrapTest {
    private static final int BATCH = 500;
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final long WHOLE_SPAN = TTL.toMillis() / 10;

    @AutoClose
    private final RedisFleet fleet =
            new RedisFleet(1, CachePolicy.builder().softTtl(TTL).jitter(0.10).build());

    @Test
    void naiveBatchExpiresAsQuicklyAsItWasStored() {
        long began = serverMillis();
        for (int i = 0; i < BATCH; i++) {
            fleet.redis().set(fleet.name() + ":naive" + i, "value", setParams().px(TTL.toMillis()));
        }
        long stored = serverMillis();

        long[] ends = ends(i -> fleet.endMillis(fleet.name() + ":naive" + i));
        assertThat(ends[0]).as("the first end").isGreaterThanOrEqualTo(began + TTL.toMillis());
        assertThat(ends[BATCH - 1]).as("the last end").isLessThanOrEqualTo(stored + TTL.toMillis());
        for (int i = 0; i < BATCH; i++) {
            fleet.redis().del(fleet.name() + ":naive" + i);
        }
    }

    /** Returns the time by the clock that Redis uses to expire keys. */
    private long serverMillis() {
        return Long.parseLong((String)
                fleet.redis().eval("local t = redis.call('TIME') return t[1] .. string.format('%03d', t[2] / 1000)"));
    }

    @Test
    void batchEndsSpreadOverTheJitter() {
        for (int i = 0; i < BATCH; i++) {
            fleet.cache(0).put("k" + i, "value");
        }

        assertSpread(ends(i -> fleet.endMillis(fleet.valueKey("k" + i))), 2 * WHOLE_SPAN);
        assertSpread(ends(i -> entry("k" + i).softExpiryMillis()), WHOLE_SPAN);
    }

    /** 500 uniform draws fail this by chance less often than once in 10 to the 15. */
    private static void assertSpread(long[] ends, long span) {
        long busiest = Arrays.stream(ends)
                .map(from -> Arrays.stream(ends)
                        .filter(end -> end >= from && end < from + span / 10)
                        .count())
                .max()
                .orElseThrow();
        assertThat(ends[BATCH - 1] - ends[0]).as("the span of all ends").isGreaterThan(span * 8 / 10);
        assertThat(busiest).as("of 500, in the busiest tenth of the span").isLessThan(BATCH / 4);
    }

    private static long[] ends(ToLongFunction<Integer> end) {
        return IntStream.range(0, BATCH).mapToLong(end::applyAsLong).sorted().toArray();
    }

    private Entry entry(String key) {
        byte[] bytes = fleet.redis().get(fleet.valueKey(key).getBytes(StandardCharsets.UTF_8));
        return Objects.requireNonNull(Entry.decode(bytes));
    }
}
