package io.stampedeguard;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What a request for many keys returns, and what it costs. */
final class BulkReadTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().softTtl(ofSeconds(10)).jitter(0).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();

    @Test
    void valuesComeInTheOrderOfTheKeys() {
        cache.put("b", "put");

        assertThat(cache.getAll(List.of("c", "b", "a"), origin))
                .containsExactly(Map.entry("c", "c's"), Map.entry("b", "put"), Map.entry("a", "a's"));
        assertThat(origin.calls()).containsExactly(List.of("c", "a"));
    }

    @Test
    void keysThatAreThereTwiceAreAskedForOnce() {
        assertThat(cache.getAll(List.of("a", "b", "a", "a"), origin))
                .containsExactly(Map.entry("a", "a's"), Map.entry("b", "b's"));
        assertThat(origin.calls()).containsExactly(List.of("a", "b"));
        assertThat(fleet.listener().count(AnswerSource.LOADED)).isEqualTo(2);
    }

    @Test
    void noKeysAreAnsweredWithoutAQuestion() {
        assertThat(cache.getAll(List.of(), origin)).isEmpty();
        assertThat(fleet.store().count(Call.READ_ALL)).isZero();
        assertThat(origin.calls()).isEmpty();
    }

    @Test
    void keysTheOriginHasNoneOfAreLeftOutAndRemembered() {
        origin.remove("b");
        assertThat(cache.getAll(List.of("a", "b"), origin)).containsExactly(Map.entry("a", "a's"));
        assertThat(cache.getAll(List.of("a", "b"), origin)).containsExactly(Map.entry("a", "a's"));

        assertThat(origin.loads("b")).isEqualTo(1);
        assertThat(fleet.cache(1).get("b", key -> "not called")).isNull();
    }

    @Test
    void keysMappedToNullByTheLoaderAreCachedAsAbsent() {
        BulkLoader<String, String> loader = keys -> {
            Map<String, String> rows = new HashMap<>();
            keys.forEach(key -> rows.put(key, null));
            return rows;
        };

        assertThat(cache.getAll(List.of("a"), loader)).isEmpty();
        assertThat(cache.getAll(List.of("a"), origin)).as("remembered").isEmpty();
    }

    @Test
    void keysThatNobodyAskedForArePassedOver() {
        assertThat(cache.getAll(List.of("a"), keys -> Map.of("a", "1", "z", "26")))
                .containsExactly(Map.entry("a", "1"));
        assertThat(on(fleet.store()).read("fleet:z")).isNull();
    }

    @Test
    void loaderReceivesOnlyMissingKeysAndCannotChangeThem() {
        AtomicReference<Set<String>> shown = new AtomicReference<>();
        cache.put("b", "put");
        cache.getAll(List.of("c", "b", "a"), keys -> {
            shown.set(keys);
            return Map.of();
        });

        assertThat(shown.get()).containsExactly("c", "a");
        assertThatThrownBy(() -> shown.get().remove("a")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void eachCallersMapIsItsOwn() {
        Map<String, String> first = cache.getAll(List.of("a"), origin);
        first.put("a", "changed");

        assertThat(cache.getAll(List.of("a"), origin)).containsExactly(Map.entry("a", "a's"));
    }

    @Test
    void presentKeysCostOneReadAndNothingElse() {
        cache.getAll(List.of("a", "b", "c"), origin);
        int asked = fleet.store().count(Call.LEASE_ALL);

        cache.getAll(List.of("a", "b", "c"), origin);

        assertThat(fleet.store().count(Call.READ_ALL)).isEqualTo(2);
        assertThat(fleet.store().count(Call.LEASE_ALL)).isEqualTo(asked);
        assertThat(fleet.listener().count(EventType.STORE_FRESH)).isEqualTo(3);
    }

    @Test
    void absentKeysCostThreeRoundTripsBesidesTheLoad() {
        cache.getAll(List.of("a", "b", "c"), origin);

        assertThat(fleet.store().count(Call.READ_ALL)).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE_ALL)).isEqualTo(1);
        assertThat(fleet.store().count(Call.PUBLISH_ALL)).isEqualTo(1);
        assertThat(fleet.store().count(Call.ABANDON_ALL)).isZero();
        assertThat(origin.calls()).hasSize(1);
    }

    @Test
    void nearHitsCostNothingAndTheRestOneRead() {
        try (Fleet near = Fleet.near(1, POLICY)) {
            near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin());
            int read = near.store().count(Call.READ_ALL);
            assertThat(near.cache(0).getAll(List.of("b", "a"), near.bulkOrigin()))
                    .containsExactly(Map.entry("b", "b's"), Map.entry("a", "a's"));
            assertThat(near.store().count(Call.READ_ALL)).isEqualTo(read);

            int readOne = near.store().count(Call.READ);
            assertThat(near.cache(0).getAll(List.of("b", "c", "a"), near.bulkOrigin()))
                    .containsExactly(Map.entry("b", "b's"), Map.entry("c", "c's"), Map.entry("a", "a's"));
            assertThat(near.store().count(Call.READ)).as("of one key").isEqualTo(readOne + 1);
            assertThat(near.listener().count(AnswerSource.NEAR)).isEqualTo(4);
            assertThat(near.bulkOrigin().calls()).containsExactly(List.of("a", "b"), List.of("c"));
        }
    }

    @Test
    void whatTheStoreHasIsKeptNear() {
        try (Fleet near = Fleet.near(2, POLICY)) {
            near.cache(1).getAll(List.of("a", "b"), near.bulkOrigin());
            near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin());
            int read = near.store().count(Call.READ_ALL);

            assertThat(near.cache(0).getAll(List.of("a", "b"), near.bulkOrigin()))
                    .hasSize(2);
            assertThat(near.store().count(Call.READ_ALL)).isEqualTo(read);
        }
    }

    @Test
    void keysThatDifferButHaveTheSameTextShareOneLoad() {
        RecordingListener listener = new RecordingListener();
        List<Operation> failedSteps = new ArrayList<>();
        try (StampedeGuardedCache<StringBuilder, String> odd = StampedeGuardedCache.<StringBuilder, String>builder(
                        "odd")
                .store(fleet.store())
                .codec(StringCodec.of())
                .keyEncoder(StringBuilder::toString)
                .timeSource(fleet.time())
                .listener(listener)
                .listener(new CacheListener() {
                    @Override
                    public OperationScope onOperation(String cache, Operation step) {
                        return failure -> {
                            if (failure != null) {
                                failedSteps.add(step);
                            }
                        };
                    }
                })
                .build()) {
            StringBuilder one = new StringBuilder("k");
            StringBuilder other = new StringBuilder("k");

            List<Integer> loads = new ArrayList<>();
            BulkLoader<StringBuilder, String> loader = keys -> {
                loads.add(keys.size());
                Map<StringBuilder, String> rows = new LinkedHashMap<>();
                keys.forEach(key -> rows.put(key, "v"));
                return rows;
            };

            assertThat(odd.getAll(List.of(one, other), loader))
                    .containsExactly(Map.entry(one, "v"), Map.entry(other, "v"));
            assertThat(odd.getAll(List.of(one, other), loader)).hasSize(2).containsEntry(other, "v");
            assertThat(loads).containsExactly(1);
            assertThat(listener.faults()).isEmpty();
            assertThat(failedSteps).isEmpty();
        }
    }
}
