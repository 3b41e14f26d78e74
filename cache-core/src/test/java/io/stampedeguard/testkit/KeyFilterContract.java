package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every key filter must do that can be rebuilt. Each test has filters of its own. */
public abstract class KeyFilterContract {
    private static final int DESIGN = 20_000;
    private static final double RATE = 0.01;
    private static final int BATCH = 1_000;

    private final List<KeyFilter<Long>> filters = new ArrayList<>();
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private KeyFilter<Long> filter;

    /** Creates a filter that was never built, with a unique name. It is closed after the test if it can be closed. */
    protected abstract KeyFilter<Long> newFilter(long expectedKeys, double rate);

    /** Rebuilds a filter; returns when the new generation is current. */
    protected abstract void rebuild(KeyFilter<Long> filter, Supplier<? extends Stream<Long>> keys);

    @BeforeEach
    void makeFilter() {
        filter = made(DESIGN, RATE);
    }

    @AfterEach
    void closeFilters() throws Exception {
        for (KeyFilter<Long> each : filters) {
            if (each instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
    }

    private KeyFilter<Long> made(long expectedKeys, double rate) {
        KeyFilter<Long> made = newFilter(expectedKeys, rate);
        filters.add(made);
        return made;
    }

    /** Existing rows have numbers from 1 on, absent ones are negative. */
    private static Supplier<Stream<Long>> rows(long from, long to) {
        return () -> LongStream.rangeClosed(from, to).boxed();
    }

    /** Returns which of a number of keys that were never added are declared absent. */
    private int absentOf(int nonexistent) {
        int absent = 0;
        for (int from = 0; from < nonexistent; from += BATCH) {
            absent += filter.definitelyAbsent(LongStream.range(from, from + BATCH)
                            .mapToObj(i -> -1 - i)
                            .toList())
                    .size();
        }
        return absent;
    }

    private void assertHas(long from, long to) {
        for (long start = from; start <= to; start += BATCH) {
            assertThat(filter.definitelyAbsent(LongStream.rangeClosed(start, Math.min(to, start + BATCH - 1))
                            .boxed()
                            .toList()))
                    .as("rows declared absent")
                    .isEmpty();
        }
    }

    private FilterState stateInForce() {
        Fleet.until(() -> filter.state().inForce());
        return filter.state();
    }

    @Test
    void filterThatWasNeverBuiltSaysMaybeToAll() {
        filter.add(1L);
        filter.observed(2L);

        assertThat(absentOf(BATCH)).isZero();
        assertThat(filter.mightContain(random.nextLong())).isTrue();
        assertThat(filter.state().inForce()).isFalse();
        assertThat(filter.state().rebuilding()).isFalse();
        assertThat(filter.state().expectedKeys()).isEqualTo(DESIGN);
        assertThat(filter.state().designRate()).isEqualTo(RATE);
    }

    @Test
    @Tag("essential")
    void rowsOfARebuildMayBeThereAndOthersAreNot() {
        rebuild(filter, rows(1, DESIGN));

        assertHas(1, DESIGN);
        for (long row = 1; row <= 100; row++) {
            assertThat(filter.mightContain(row)).isTrue();
        }
        assertThat(absentOf(BATCH)).isGreaterThan(BATCH * 9 / 10);
    }

    @Test
    void noMorePassThanTheConfiguredRateAllows() {
        int asked = 100_000;
        rebuild(filter, rows(1, DESIGN));

        assertThat((asked - absentOf(asked)) / (double) asked).isBetween(RATE / 2, RATE * 1.2);
    }

    @Test
    void filterBuiltOfNothingCallsAllAbsent() {
        rebuild(filter, Stream::empty);

        assertThat(absentOf(BATCH)).isEqualTo(BATCH);
        assertThat(filter.mightContain(1L)).isFalse();
        assertThat(stateInForce().estimatedKeys()).isZero();
    }

    @Test
    @Tag("essential")
    void keyIsThereOnceItWasAddedOrFound() {
        rebuild(filter, Stream::empty);
        for (long row = 1; row <= 200; row += 2) {
            filter.add(row);
            assertThat(filter.mightContain(row)).isTrue();
            filter.observed(row + 1);
            assertThat(filter.mightContain(row + 1)).isTrue();
        }
        assertHas(1, 200);
    }

    @Test
    void absentOnesAreToldInTheirOrder() {
        rebuild(filter, rows(1, 10));
        List<Long> asked = new ArrayList<>(List.of(3L, -3L, 1L, -1L, -2L, 10L));

        List<Long> absent = filter.definitelyAbsent(asked);

        assertThat(absent)
                .isEqualTo(
                        asked.stream().filter(key -> !filter.mightContain(key)).toList());
        assertThat(absent).containsExactly(-3L, -1L, -2L);
        assertThat(filter.definitelyAbsent(List.of())).isEmpty();
        assertThat(filter.definitelyAbsent(Set.of(5L))).isEmpty();
    }

    @Test
    void smallestFilterWorks() {
        KeyFilter<Long> small = made(1, 0.5);
        rebuild(small, rows(1, 1));

        assertThat(small.mightContain(1L)).isTrue();
        assertThat(small.mightContain(-1L)).isFalse();
    }

    @Test
    void rowsThatAreGoneAreForgottenByARebuild() {
        rebuild(filter, rows(1, 1_000));
        rebuild(filter, rows(1_001, 2_000));

        assertHas(1_001, 2_000);
        assertThat(filter.definitelyAbsent(rows(1, 1_000).get().toList())).hasSizeGreaterThan(900);
    }

    @Test
    void oldGenerationIsInForceUntilTheRebuildHasEnded() {
        AtomicBoolean looked = new AtomicBoolean();
        rebuild(filter, rows(1, 1_000));

        rebuild(
                filter,
                () -> rows(2_001, 3_000).get().peek(row -> {
                    if (row == 2_500) {
                        assertHas(1, 1_000);
                        assertThat(filter.mightContain(2_400L)).isFalse();
                        assertThat(absentOf(BATCH)).isGreaterThan(900);
                        assertThat(filter.state().rebuilding()).isTrue();
                        looked.set(true);
                    }
                }));

        assertThat(looked).isTrue();
        assertThat(filter.state().rebuilding()).isFalse();
        assertHas(2_001, 3_000);
    }

    @Test
    void allIsMaybeUntilTheFirstRebuildHasEnded() {
        AtomicBoolean looked = new AtomicBoolean();

        rebuild(
                filter,
                () -> rows(1, 10).get().peek(row -> {
                    assertThat(filter.mightContain(-row)).isTrue();
                    looked.set(true);
                }));

        assertThat(looked).isTrue();
        assertThat(filter.mightContain(-1L)).isFalse();
    }

    @Test
    @Tag("essential")
    void whatIsAddedDuringARebuildIsThereBeforeAndAfter() {
        rebuild(filter, rows(1, 100));

        rebuild(filter, () -> {
            filter.add(1_001L);
            return rows(1, 100).get().peek(row -> {
                filter.add(2_000 + row);
                assertThat(filter.mightContain(2_000 + row)).isTrue();
                assertThat(filter.mightContain(1_001L)).isTrue();
            });
        });

        assertHas(1, 100);
        assertHas(1_001, 1_001);
        assertHas(2_001, 2_100);
        assertThat(filter.mightContain(1_002L)).isFalse();
    }

    @Test
    void existingKeyAddedDuringARebuildJoinsTheNextGeneration() {
        rebuild(filter, rows(1, 100));

        rebuild(filter, () -> {
            filter.add(50L);
            return Stream.of(7L);
        });

        assertHas(50, 50);
        assertHas(7, 7);
        assertThat(filter.mightContain(51L)).isFalse();
    }

    @Test
    @Tag("essential")
    void rebuildThatFailsChangesNothing() {
        IllegalStateException broken = new IllegalStateException("the origin has gone away");
        rebuild(filter, rows(1, 1_000));
        List<Supplier<Stream<Long>>> failing = List.of(
                () -> {
                    throw broken;
                },
                () -> rows(2_001, 3_000).get().peek(row -> {
                    if (row == 2_900) {
                        filter.add(5_000L);
                        throw broken;
                    }
                }));
        for (Supplier<Stream<Long>> each : failing) {
            assertThatThrownBy(() -> rebuild(filter, each))
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isSameAs(broken),
                            thrown -> assertThat(thrown).hasRootCause(broken));
            assertHas(1, 1_000);
            assertThat(filter.mightContain(2_500L)).isFalse();
            assertThat(filter.state().rebuilding()).isFalse();
        }
        assertHas(5_000, 5_000);

        rebuild(filter, rows(4_001, 4_100));
        assertHas(4_001, 4_100);
        assertThat(filter.mightContain(2_500L)).isFalse();
    }

    @Test
    void filterIsNotInForceAfterAFirstRebuildThatFailed() {
        assertThatThrownBy(() -> rebuild(filter, () -> {
            throw new IllegalStateException("no connection");
        }));

        assertThat(absentOf(BATCH)).isZero();
        assertThat(filter.state().inForce()).isFalse();
    }

    @Test
    void streamIsClosedHoweverTheRebuildEnds() {
        AtomicInteger closed = new AtomicInteger();
        rebuild(filter, () -> rows(1, 10).get().onClose(closed::incrementAndGet));
        assertThat(closed).hasValue(1);

        assertThatThrownBy(() -> rebuild(
                filter,
                () -> rows(1, 10)
                        .get()
                        .peek(row -> {
                            throw new IllegalStateException("broken");
                        })
                        .onClose(closed::incrementAndGet)));
        assertThat(closed).hasValue(2);
    }

    @Test
    void stateTellsHowManyKeysThereAre() {
        for (int keys : new int[] {DESIGN / 10, DESIGN / 2, DESIGN}) {
            rebuild(filter, rows(1, keys));
            Fleet.until(() -> Math.abs(filter.state().estimatedKeys() - keys) <= keys * 0.02);
            FilterState state = filter.state();
            assertThat(state.inForce()).isTrue();
            assertThat(state.isSaturated()).isFalse();
            assertThat(state.fill()).isBetween(keys * 0.2 / DESIGN, 0.6);
            assertThat(state.expectedKeys()).isEqualTo(DESIGN);
        }
        assertThat(filter.state().estimatedRate()).isBetween(RATE / 2, RATE * 1.1);
    }

    @Test
    void filterWithMoreKeysThanItWasMadeForIsSaturated() {
        rebuild(filter, rows(1, 2 * DESIGN));

        Fleet.until(() -> filter.state().isSaturated());
        assertThat(filter.state().estimatedRate()).isGreaterThan(5 * RATE);
        assertHas(1, 2 * DESIGN);
    }

    /** Rows are created, announced, and looked up while the filter is rebuilt repeatedly from the existing rows. */
    @Test
    void noRowIsEverDeclaredAbsentUnderAnyInterleaving() throws Exception {
        Set<Long> origin = ConcurrentHashMap.newKeySet();
        CountDownLatch writing = new CountDownLatch(4);
        rebuild(filter, origin::stream);
        try (Callers callers = new Callers()) {
            List<Callers.Call<Set<Long>>> writers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Random rows = new Random(random.nextLong());
                writers.add(callers.call(() -> {
                    try {
                        return write(1_000, rows, origin);
                    } finally {
                        writing.countDown();
                    }
                }));
            }
            int rebuilds = 0;
            while (writing.getCount() > 0 || rebuilds < 3) {
                rebuild(filter, origin::stream);
                rebuilds++;
            }
            for (Callers.Call<Set<Long>> writer : writers) {
                assertThat(writer.result()).as("seed %d", seed).isEmpty();
            }
        }
        assertThat(filter.definitelyAbsent(origin)).as("seed %d", seed).isEmpty();
    }

    /** Returns which rows were not found right after their announcement, or later. */
    private Set<Long> write(int rows, Random drawn, Set<Long> origin) {
        Set<Long> missed = new HashSet<>();
        List<Long> own = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            long row = drawn.nextLong();
            origin.add(row);
            filter.add(row);
            own.add(row);
            for (long look : new long[] {row, own.get(drawn.nextInt(own.size()))}) {
                if (!filter.mightContain(look)) {
                    missed.add(look);
                }
            }
        }
        return missed;
    }
}
