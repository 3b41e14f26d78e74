package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Many keys that are stored or removed by one call. */
final class ManyChangesTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(100), ofSeconds(200)).maxPayloadBytes(10).build();

    private final List<Operation> operations = new CopyOnWriteArrayList<>();

    @AutoClose
    private final Fleet fleet = fleet(POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private Fleet fleet(CachePolicy policy) {
        return new Fleet(
                2,
                policy,
                builder -> builder.recordStats()
                        .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                        .listener(new CacheListener() {
                            @Override
                            public OperationScope onOperation(String name, Operation operation) {
                                operations.add(operation);
                                return OperationScope.NONE;
                            }
                        }));
    }

    private static List<String> keys(int number) {
        return IntStream.range(0, number).mapToObj(i -> "k" + i).toList();
    }

    private long removals() {
        return operations.stream().filter(Operation.INVALIDATE::equals).count();
    }

    @ForEach
    void removedKeysAreLoadedAgainByEachFormOfGet(FormOfGet form) throws Throwable {
        for (int process = 0; process < 2; process++) {
            assertThat(form.ask(fleet.cache(process), fleet.origin())).isEqualTo("one");
        }
        fleet.origin().write("two");

        cache.invalidateAll(List.of("other", "k", "k"));

        for (int process = 0; process < 2; process++) {
            assertThat(form.ask(fleet.cache(process), fleet.origin())).isEqualTo("two");
        }
        assertThat(fleet.store().count(Call.INVALIDATE)).as("of distinct keys").isEqualTo(2);
    }

    @ForEach
    void storedValuesAnswerEachFormOfGet(FormOfGet form) throws Throwable {
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("one");

        cache.putAll(Map.of("k", "put", "here", "h", "there", "t"));

        for (int process = 0; process < 2; process++) {
            assertThat(form.ask(fleet.cache(process), fleet.origin())).isEqualTo("put");
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void thousandKeysAreOneRequest() {
        cache.invalidateAll(keys(1_000));
        assertThat(removals()).isEqualTo(1);
        cache.invalidateAll(keys(1_001));
        assertThat(removals()).isEqualTo(3);
        cache.invalidateAll(List.of());
        assertThat(removals()).isEqualTo(3);
    }

    @Test
    void resultOfARunningLoadIsNotStored() throws Exception {
        Callers.Call<String> leader = fleet.loading(1, "k");
        fleet.origin().write("two");

        cache.invalidateAll(List.of("k"));
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(cache.get("k")).isEqualTo("two");
        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
    }

    @Test
    void nothingIsChangedIfAKeyIsInvalid() {
        try (StampedeGuardedCache<Object, String> odd = StampedeGuardedCache.<Object, String>builder("odd")
                .store(fleet.store())
                .codec(StringCodec.of())
                .build()) {
            Map<Object, String> values = new LinkedHashMap<>();
            values.put("k", "v");
            values.put(List.of(), "v");

            assertThatThrownBy(() -> odd.invalidateAll(values.keySet())).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> odd.putAll(values)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(fleet.store().count(Call.INVALIDATE)).isZero();
        assertThat(fleet.store().count(Call.PUT)).isZero();
    }

    @Test
    void valueThatCannotBeStoredEndsTheCallAtIt() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("before", "v");
        values.put("large", "more than ten bytes");
        values.put("after", "v");

        assertThatThrownBy(() -> cache.putAll(values)).isInstanceOf(IllegalArgumentException.class);

        assertThat(cache.getIfPresent("before")).isEqualTo("v");
        assertThat(cache.getIfPresent("after")).isNull();
    }

    @ForEach
    void unansweredChangesAreQueuedAndNothingOlderIsServed(FormOfGet form) throws Throwable {
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("one");
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");

        cache.invalidateAll(List.of("k", "other"));

        assertThat(cache.stats().queuedChanges()).isEqualTo(2);
        assertThat(cache.faults(FaultSource.STORE)).isEqualTo(2);
        assertThat(form.ask(cache, fleet.origin())).isEqualTo("two");
        fleet.store().heal();
        fleet.advance(ofSeconds(10));
        until(() -> cache.stats().queuedChanges() == 0);
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isEqualTo("two");
    }

    @Test
    void unansweredPutsAreQueuedOneByOne() {
        fleet.store().refuse(Call.PUT);
        Map<String, String> values = new LinkedHashMap<>();
        keys(3).forEach(key -> values.put(key, "v"));

        cache.putAll(values);

        assertThat(cache.stats().queuedChanges()).isEqualTo(3);
        assertThat(fleet.listener().amounts(EventType.QUEUED_CHANGES)).containsExactly(1L, 2L, 3L);
        fleet.store().heal();
        cache.putAll(values);
        assertThat(cache.stats().queuedChanges())
                .as("each put sends the queued change of its key first")
                .isZero();
        assertThat(fleet.cache(1).getIfPresent("k2")).isEqualTo("v");
    }

    @Test
    void firstFailureIsThrownAfterTheLastKey() {
        try (Fleet throwing =
                fleet(POLICY.toBuilder().onStoreFailure(StoreFailureMode.THROW).build())) {
            throwing.store().refuse();

            assertThatThrownBy(() -> throwing.cache(0).invalidateAll(keys(3)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("3 of 3 changes failed, the first one: ")
                    .hasMessageContaining("the change is queued");
            assertThatThrownBy(() -> throwing.cache(0).putAll(Map.of("a", "v", "b", "v")))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("2 of 2 changes failed");
            assertThatThrownBy(() -> throwing.cache(0).invalidateAll(List.of("only")))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not INVALIDATE");

            assertThat(throwing.cache(0).stats().queuedChanges()).isEqualTo(6);
        }
    }

    @Test
    void queuedChangeOfAKeyIsSentFirst() {
        fleet.store().refuse();
        cache.invalidate("k1");
        fleet.store().heal();

        cache.invalidateAll(keys(3));

        assertThat(cache.stats().queuedChanges()).isZero();
        assertThat(fleet.store().count(Call.INVALIDATE))
                .as("refused, k0 and k2 together, replayed, k1 by itself")
                .isEqualTo(5);
    }

    @Test
    void keyWithoutAnAnswerIsSentOnceMoreByItself() {
        FaultyStore store = FaultyStore.create(fleet.time());
        try (StampedeGuardedCache<String, String> faulty =
                fleet.builder("faulty").store(store).recordStats().build()) {
            List<String> keys = keys(64);
            keys.forEach(key -> faulty.put(key, "v"));
            store.seed(7).refuse(0.5, FaultyStore.Call.INVALIDATE);

            faulty.invalidateAll(keys);

            int queued = faulty.stats().queuedChanges();
            assertThat(store.requests(FaultyStore.Call.INVALIDATE))
                    .as("%s", store)
                    .isGreaterThan(64);
            assertThat(queued).as("%s", store).isLessThan(64);
            assertThat(present(store, keys)).as("only those that are queued").hasSize(queued);
            store.heal();
            fleet.advance(ofSeconds(10));
            until(() -> faulty.stats().queuedChanges() == 0);
            assertThat(present(store, keys)).isEmpty();
        }
    }

    private static List<String> present(FaultyStore store, List<String> keys) {
        List<String> present = new ArrayList<>();
        for (String key : keys) {
            if (store.shared().read("faulty:" + key, ofSeconds(1)) != null) {
                present.add(key);
            }
        }
        return present;
    }

    @Test
    void interruptedCallerKeepsItsFlag() {
        cache.put("k0", "v");
        Thread.currentThread().interrupt();
        try {
            cache.invalidateAll(keys(2));
            cache.putAll(Map.of("k1", "v"));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(cache.getIfPresent("k0")).isNull();
        assertThat(cache.getIfPresent("k1")).isEqualTo("v");
    }
}
