package io.stampedeguard.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the filter of one process does beyond the common contract: one rebuild at a time, what it reports, and what it
 * costs.
 */
final class LocalKeyFilterTest {
    private static final int EXPECTED = 10_000;

    private final VirtualTime time = new VirtualTime();
    private final RecordedFilterEvents told = new RecordedFilterEvents();
    private final LocalKeyFilter<Object> filter = LocalKeyFilter.builder("own-rows")
            .expectedKeys(EXPECTED)
            .listener(told)
            .timeSource(time)
            .build();

    private static Stream<Long> rows(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed();
    }

    @Test
    void keyThatIsAddedDuringAWholeRebuildIsInIt() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        KeyHash<Object> hash = KeyHash.standard();
        LocalKeyFilter<Object> overtaken = LocalKeyFilter.builder("own-rows")
                .expectedKeys(EXPECTED)
                .keyHash(key -> {
                    meanwhile.getAndSet(() -> {}).run();
                    return hash.of(key);
                })
                .build();
        overtaken.rebuild(Stream.empty());
        meanwhile.set(() -> overtaken.rebuild(Stream.empty()));

        overtaken.add(7L);

        assertThat(overtaken.mightContain(7L)).isTrue();
    }

    @Test
    void filterOfWhichThereIsNoCopyYetIsNotSaturated() {
        assertThat(new FilterState(true, false, EXPECTED, 0.01, 0, 0, 1).isSaturated())
                .isFalse();
    }

    @Test
    void secondRebuildAtATimeIsRefusedAndTheFirstGoesOn() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        try (Callers callers = new Callers()) {
            Callers.Call<Boolean> first = callers.call(() -> {
                filter.rebuild(() -> {
                    begun.countDown();
                    Fleet.await(go);
                    return rows(1, 100);
                });
                return true;
            });
            begun.await();

            assertThatThrownBy(() -> filter.rebuild(Stream.<Object>of(7L).onClose(closed::incrementAndGet)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(closed).hasValue(1);
            assertThatThrownBy(() -> filter.rebuild(() -> {
                        opened.incrementAndGet();
                        return Stream.of(7L);
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("filter 'own-rows' is already being rebuilt");
            assertThat(filter.state().rebuilding()).isTrue();
            assertThat(filter.state().inForce()).isFalse();

            go.countDown();
            assertThat(first.result()).isTrue();
        }
        assertThat(opened).hasValue(0);
        assertThat(rows(1, 100)).allMatch(filter::mightContain);
        filter.rebuild(Stream.of(7L));
        assertThat(filter.mightContain(8L)).isFalse();
    }

    @Test
    void streamOfManyThreadsIsReadOnThisOne() {
        Thread here = Thread.currentThread();

        filter.rebuild(rows(1, 5_000)
                .parallel()
                .peek(row -> assertThat(Thread.currentThread()).isSameAs(here)));

        assertThat(rows(1, 5_000)).allMatch(filter::mightContain);
    }

    @Test
    void rebuildTellsHowFarItIsEachSecondAndAtTheEnd() {
        filter.rebuild(rows(1, 10).peek(row -> time.advance(Duration.ofMillis(400))));

        assertThat(told.rebuilds).containsExactly(3L, 6L, 9L, 10L);
        assertThat(told.filters).containsOnly("own-rows");
    }

    @Test
    void stateIsToldWhenTheFilterComesInForceOnly() {
        filter.rebuild(rows(1, 5_000));

        assertThat(told.states).singleElement().satisfies(state -> {
            assertThat(state.inForce()).isTrue();
            assertThat(state.rebuilding()).isFalse();
            assertThat(state.expectedKeys()).isEqualTo(EXPECTED);
            assertThat(state.designRate()).isEqualTo(0.01);
            assertThat(state.estimatedKeys()).isCloseTo(5_000, within(100L));
        });
        assertThatThrownBy(() -> filter.rebuild(Stream.of(1L, new Object())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(told.states).hasSize(1);
        assertThat(filter.state()).isEqualTo(told.states.get(0));
    }

    @Test
    void eachTenthOfExpectedKeysIsReportedAndExcessWarnedOf() {
        try (CapturedLog log = new CapturedLog()) {
            filter.rebuild(Stream.empty());
            rows(1, EXPECTED).forEach(filter::add);
            assertThat(told.states).hasSizeBetween(10, 11); // the last one is random
            assertThat(log.warningsWith("filter 'own-rows'")).isEmpty();

            rows(EXPECTED, 2 * EXPECTED).forEach(filter::add);

            assertThat(told.states).hasSizeBetween(20, 21);
            assertThat(told.states).isSortedAccordingTo((one, next) -> Double.compare(one.fill(), next.fill()));
            assertThat(log.warningsWith("filter 'own-rows'"))
                    .singleElement()
                    .asString()
                    .containsPattern(
                            "filter 'own-rows' contains about 1[012]\\d{3} keys but was sized for 10000: it lets [12]\\.\\d\\d"
                                    + " % of nonexistent keys pass, not 1.00 %; rebuild it with more expectedKeys");
        }
    }

    @Test
    void warningComesAgainOnceTheFilterHadRoomInBetween() {
        try (CapturedLog log = new CapturedLog()) {
            filter.rebuild(rows(1, 2 * EXPECTED));
            filter.rebuild(rows(1, 2 * EXPECTED));
            assertThat(log.warningsWith("filter 'own-rows'")).hasSize(1);
            filter.rebuild(rows(1, EXPECTED / 2));
            filter.rebuild(rows(1, 2 * EXPECTED));
            assertThat(log.warningsWith("filter 'own-rows'")).hasSize(2);
        }
    }

    @Test
    void listenerThatFailsCostsALogLineAndNoMore() {
        FilterListener failing = new FilterListener() {
            @Override
            public void onState(String name, FilterState state) {
                throw new IllegalStateException("state");
            }

            @Override
            public void onRebuild(String name, long keys) {
                throw new AssertionError("rebuild") {
                    private static final long serialVersionUID = 1;

                    @Override
                    public synchronized Throwable getCause() {
                        throw new IllegalStateException("no cause");
                    }
                };
            }
        };
        try (CapturedLog log = new CapturedLog()) {
            LocalKeyFilter<Long> odd = LocalKeyFilter.<Long>builder("own-odd")
                    .expectedKeys(100)
                    .listener(failing)
                    .build();

            odd.rebuild(Stream.of(1L));
            rows(2, 15).forEach(odd::add);

            assertThat(rows(1, 15)).allMatch(odd::mightContain);
            assertThat(odd.mightContain(-1L)).isFalse();
            assertThat(log.warningsWith("filter 'own-odd': its listener threw an exception"))
                    .as("one of each kind in a minute")
                    .hasSize(2);
            assertThat(log.text()).contains("IllegalStateException: state", ": rebuild");
        }
    }

    @Test
    void keysAreHashedAsTheBuilderWasTold() {
        LocalKeyFilter<StringBuilder> odd = LocalKeyFilter.<StringBuilder>builder("own-odd")
                .expectedKeys(100)
                .keyHash(KeyHash.ofText(StringBuilder::toString))
                .build();

        odd.rebuild(Stream.of(new StringBuilder("a")));

        assertThat(odd.mightContain(new StringBuilder("a"))).isTrue();
        assertThat(odd.mightContain(new StringBuilder("b"))).isFalse();
    }

    @Test
    void filterThatCannotBeMadeIsRefusedByItsName() {
        assertRefused("expectedKeys 0 is less than 1 for filter 'own-rows'", LocalKeyFilter.builder("own-rows"));
        assertRefused(
                "falsePositiveRate 1.0 is not from 1.0E-6 to 0.5 for filter 'own-rows'",
                LocalKeyFilter.builder("own-rows").expectedKeys(1).falsePositiveRate(1));
        for (String name : List.of("", "a:b", "a b", "x".repeat(65), "{a}")) {
            assertThatThrownBy(
                            () -> LocalKeyFilter.builder(name).expectedKeys(1).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("filter name ")
                    .hasMessageEndingWith(" is not 1 to 64 letters, digits, dots, hyphens and underscores");
        }
    }

    private static void assertRefused(String message, LocalKeyFilterBuilder<?> builder) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void looksAllocateNothing() {
        filter.rebuild(Stream.concat(rows(1, 1_000), rows(1, 1_000).map(row -> "row-" + row)));
        List<Object> asked = new ArrayList<>();
        for (long row = -1_000; row <= 1_000; row++) {
            asked.add(row);
            asked.add("row-" + row);
        }
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        look(asked, 50);
        long before = threads.getCurrentThreadAllocatedBytes();
        int found = look(asked, 50);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(found).isGreaterThanOrEqualTo(2_000 * 50);
        assertThat(allocated).as("bytes of %d looks", 50 * asked.size()).isLessThan(50L * asked.size());
    }

    private int look(List<Object> asked, int rounds) {
        int found = 0;
        for (int i = 0; i < rounds * asked.size(); i++) {
            found += filter.mightContain(asked.get(i % asked.size())) ? 1 : 0;
        }
        return found;
    }
}
