package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rebuilds, in one process and in several, on a healthy server. */
class FilterRebuildTest extends FilterOnOneServer {
    @Test
    void rebuildMayMakeItLargerAndTheOthersFollow() {
        filter.rebuild(FilterRebuildTest::rows);
        assertThat(other.mightContain(-1L)).isFalse();
        try (RedisKeyFilter<Long> larger = RedisKeyFilter.<Long>builder(name, store)
                .expectedKeys(50 * ROWS)
                .falsePositiveRate(0.001)
                .build()) {
            larger.rebuild(() -> LongStream.rangeClosed(1, 50 * ROWS).boxed());
        }
        assertThat(other.definitelyAbsent(
                        LongStream.rangeClosed(1, 50 * ROWS).boxed().toList()))
                .isEmpty();
        assertThat(other.mightContain(-3L)).isFalse();
        Fleet.until(() -> other.state().expectedKeys() == 50 * ROWS);
        assertThat(other.state().designRate()).isEqualTo(0.001);
        other.add(-3L);
        assertThat(filter.mightContain(-3L)).isTrue();
    }

    @Test
    void lastRebuildToBeginSucceedsAndOthersFailWithAReason() {
        filter.rebuild(FilterRebuildTest::rows);

        assertThatThrownBy(() -> filter.rebuild(() -> {
                    other.rebuild(() -> Stream.of(1L, 2L));
                    return rows();
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("could not rebuild filter '" + name + "': ");
        assertThat(other.definitelyAbsent(List.of(1L, 2L, 3L))).containsExactly(3L);

        assertThatThrownBy(() -> filter.rebuild(() -> Stream.of(1L)
                        .peek(row -> other.rebuild(() -> {
                            assertThatThrownBy(() -> filter.rebuild(Stream::empty))
                                    .isInstanceOf(IllegalStateException.class);
                            return Stream.of(5L);
                        }))))
                .isInstanceOf(StoreException.class);
        assertThat(other.definitelyAbsent(List.of(1L, 5L))).containsExactly(1L);
    }

    @Test
    void supersededRebuildEndsBeforeItHasReadAllKeys() {
        try (RedisKeyFilter<Long> quick = RedisKeyFilter.<Long>builder(name, store)
                .expectedKeys(ROWS)
                .rebuildTtl(Duration.ofSeconds(6))
                .build()) {
            assertThatThrownBy(() -> quick.rebuild(() -> Stream.iterate(1L, row -> row + 1)
                            .peek(row -> {
                                if (row == 1) {
                                    begin(other);
                                }
                            })))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another rebuild has begun since");
        }
    }

    private static void begin(RedisKeyFilter<Long> filter) {
        assertThatThrownBy(() -> filter.rebuild(() -> {
            throw new IllegalStateException("begun, and no more");
        }));
    }

    @Test
    void whenAllBeginAtOnceOneSucceeds() throws Exception {
        List<RedisKeyFilter<Long>> all = new ArrayList<>();
        List<Callers.Call<Boolean>> rebuilds = new ArrayList<>();
        try (Callers callers = new Callers()) {
            for (int i = 0; i < 8; i++) {
                RedisKeyFilter<Long> each = open(i % 2 == 0 ? store : otherStore);
                all.add(each);
                rebuilds.add(callers.call(() -> isRebuilt(each)));
            }
            int succeeded = 0;
            for (Callers.Call<Boolean> rebuild : rebuilds) {
                succeeded += rebuild.result() ? 1 : 0;
            }
            assertThat(succeeded).isPositive();
            assertThat(filter.definitelyAbsent(rows().toList())).isEmpty();
            assertThat(filter.mightContain(-1L)).isFalse();
        }
        all.forEach(RedisKeyFilter::close);
    }

    private static boolean isRebuilt(RedisKeyFilter<Long> filter) {
        try {
            filter.rebuild(FilterRebuildTest::rows);
            return true;
        } catch (StoreException superseded) {
            assertThat(superseded).hasMessageMatching(".*another rebuild has (begun|ended) since.*");
            return false;
        }
    }

    @Test
    void closedFilterAnswersAndCanBeRebuiltWithoutAThread() {
        filter.rebuild(FilterRebuildTest::rows);
        other.close();

        assertThat(other.mightContain(1L)).isTrue();
        assertThat(other.mightContain(-1L)).isFalse();
        other.rebuild(() -> Stream.of(1L));
        assertThat(other.definitelyAbsent(List.of(1L, 2L))).containsExactly(2L);
    }

    /** Some lookups occur in the middle of each rebuild. */
    @Test
    void whoLoadsWhilePartitionsChangeOverComesToTheEndOfIt() {
        for (long row = 1; row <= 30; row++) {
            long only = row;
            try (RedisKeyFilter<Long> late = open(otherStore)) {
                filter.rebuild(() -> Stream.of(only, only + 1_000));
                late.mightContain(-only);
                filter.rebuild(() -> Stream.of(only));
                Fleet.until(() -> !late.mightContain(-1L) && late.state().estimatedKeys() == 1);
            }
        }
    }
}
