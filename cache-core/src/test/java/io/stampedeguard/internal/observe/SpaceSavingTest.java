package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.observe.SpaceSaving.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Frequent keys are found, whatever else is counted; no other key is reported as frequent. */
final class SpaceSavingTest {
    @Test
    void asLongAsThereAreCountersAllIsExact() {
        SpaceSaving keys = new SpaceSaving(4);
        count(keys, "a", 3);
        count(keys, "b", 7);
        count(keys, "c", 3);

        assertThat(keys.top(10)).containsExactly(new Count("b", 7), new Count("a", 3), new Count("c", 3));
        assertThat(keys.top(1)).containsExactly(new Count("b", 7));
    }

    @Test
    void keyAboveAnEqualShareOfCountsIsAlwaysFound() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            SpaceSaving keys = new SpaceSaving(16);
            Map<String, Long> truth = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                // Zipf-like: the frequency of the k-th key is proportional to 1/k.
                String key = "k" + (int) Math.exp(random.nextDouble() * Math.log(5_000));
                keys.count(key);
                truth.merge(key, 1L, Long::sum);
            }
            List<Count> top = keys.top(16);
            assertThat(top)
                    .as("seed %d", seed)
                    .hasSize(16)
                    .allSatisfy(count -> assertThat(count.seen()).isLessThanOrEqualTo(truth.get(count.key())));
            truth.forEach((key, often) -> {
                if (often > 20_000 / 16) {
                    assertThat(top).as("%d times", often).extracting(Count::key).contains(key);
                }
            });
        }
    }

    @Test
    void floodOfKeysThatComeOnceDoesNotPassForHot() {
        SpaceSaving keys = new SpaceSaving(8);
        for (int i = 0; i < 10_000; i++) {
            keys.count("nonexistent " + i);
            if (i % 4 == 0) {
                keys.count("hot");
            }
        }
        List<Count> top = keys.top(8);

        assertThat(top.get(0)).isEqualTo(new Count("hot", 2_500));
        assertThat(top.subList(1, top.size()))
                .allSatisfy(count -> assertThat(count.seen()).isEqualTo(1));
    }

    @Test
    void whatIsHalvedToNothingIsForgotten() {
        SpaceSaving keys = new SpaceSaving(2);
        count(keys, "a", 9);
        count(keys, "b", 1);

        keys.halve(1);
        assertThat(keys.top(2)).containsExactly(new Count("a", 4));
        count(keys, "c", 1);
        assertThat(keys.top(2)).as("c got a counter of its own").containsExactly(new Count("a", 4), new Count("c", 1));
        keys.halve(63);
        assertThat(keys.top(2)).isEmpty();
    }

    @Test
    void countsOfManyThreadsAreAllThere() throws InterruptedException {
        SpaceSaving keys = new SpaceSaving(4);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(new Thread(() -> {
                for (int each = 0; each < 20_000; each++) {
                    keys.count(each % 2 == 0 ? "even" : "odd");
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(keys.top(4)).containsExactly(new Count("even", 80_000), new Count("odd", 80_000));
    }

    private static void count(SpaceSaving keys, String key, int times) {
        for (int i = 0; i < times; i++) {
            keys.count(key);
        }
    }
}
