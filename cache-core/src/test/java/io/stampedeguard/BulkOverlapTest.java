package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Batches that overlap in any way: each key is loaded once per expiry, and no caller waits forever. The clock stands
 * still while they run, so no poll, expired lease, or timeout helps a forgotten caller.
 */
final class BulkOverlapTest {
    private static final int THREADS = 8;
    private static final int KEYS = 24;

    @ParameterizedTest
    @CsvSource({"1, 32, 200", "3, 32, 200", "3, 1, 200", "8, 1, 100"})
    void eachKeyIsLoadedOncePerExpiry(int processes, int permits, int rounds) throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        CachePolicy policy = CachePolicy.builder()
                .softTtl(ofSeconds(10))
                .hardTtl(ofSeconds(10))
                .maxConcurrentLoads(permits)
                .jitter(0)
                .build();
        try (Fleet fleet = new Fleet(processes, policy)) {
            for (int round = 0; round < rounds; round++) {
                fleet.bulkOrigin().calls().clear();
                Set<String> asked = round(fleet, processes, random, "seed " + seed + ", round " + round);
                for (String key : asked) {
                    assertThat(fleet.bulkOrigin().loads(key))
                            .as("loads of %s; seed %d, round %d", key, seed, round)
                            .isEqualTo(1);
                }
                fleet.advance(ofSeconds(10));
            }
        }
    }

    /** Lets all threads request some keys each, in some order, through some process; one of them a single key. */
    private static Set<String> round(Fleet fleet, int processes, Random random, String described) throws Exception {
        Set<String> asked = new HashSet<>();
        List<Callers.Call<Map<String, String>>> calls = new ArrayList<>();
        List<List<String>> batches = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            List<String> keys = someKeys(random, thread == 0 ? 1 : 1 + random.nextInt(KEYS));
            StampedeGuardedCache<String, String> cache = fleet.cache(random.nextInt(processes));
            asked.addAll(keys);
            batches.add(keys);
            calls.add(fleet.callers()
                    .call(() -> keys.size() > 1
                            ? cache.getAll(keys, fleet.bulkOrigin())
                            : Map.of(keys.get(0), cache.get(keys.get(0), fleet.bulkOrigin()::load))));
        }
        for (int i = 0; i < THREADS; i++) {
            assertThat(calls.get(i).result().keySet()).as(described).containsExactlyElementsOf(batches.get(i));
        }
        return asked;
    }

    private static List<String> someKeys(Random random, int number) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add("k" + i);
        }
        Collections.shuffle(keys, random);
        return keys.subList(0, number);
    }
}
