package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many nonexistent keys pass, with as many rows as the filter was designed for. */
@Tag("proof")
class FilterRateTest {
    private static final int ROWS = 200_000;
    private static final int ADDED = 10_000;
    private static final int BATCH = 1_000;

    private static RedisKeyFilter<Long> open(String name, double rate, RedisStore store) {
        return RedisKeyFilter.<Long>builder(name, store)
                .expectedKeys(ROWS)
                .falsePositiveRate(rate)
                .build();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.001})
    void noMoreThanConfiguredPassBothInRedisAndInACopy(double rate) {
        String name = "rate-" + LeaseToken.next();
        try (RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
                RedisKeyFilter<Long> filter = open(name, rate, store);
                RedisKeyFilter<Long> other = open(name, rate, store)) {
            filter.rebuild(() -> LongStream.rangeClosed(1, ROWS - ADDED).boxed());
            LongStream.rangeClosed(ROWS - ADDED + 1, ROWS).forEach(filter::add);

            double passing = passing(filter);
            assertThat(passing).isBetween(rate / 2, rate * 1.2);
            assertThat(passing(other)).isEqualTo(passing);
        }
    }

    private static double passing(RedisKeyFilter<Long> filter) {
        int passed = 0;
        for (long from = 1; from <= ROWS; from += BATCH) {
            List<Long> nonexistent = LongStream.range(from, from + BATCH)
                    .map(row -> -row)
                    .boxed()
                    .toList();
            passed += BATCH - filter.definitelyAbsent(nonexistent).size();
        }
        return (double) passed / ROWS;
    }
}
