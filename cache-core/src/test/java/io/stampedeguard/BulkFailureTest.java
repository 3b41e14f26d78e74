package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What happens to many keys when their loader fails for them, and to those for which it was not called. */
final class BulkFailureTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(100))
            .leaseTtl(ofSeconds(60))
            .loadTimeout(ofSeconds(5))
            .waitTimeout(ofSeconds(8))
            .failureCoolDown(ofMillis(200))
            .maxConcurrentLoads(1)
            .jitter(0)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final BulkOrigin origin = fleet.bulkOrigin();
    private final IOException down = new IOException("origin is down");

    @Test
    void failedLoadFailsEachOfItsKeysAndKeepsTheOthers() {
        cache.put("b", "put");
        origin.fail(down);

        BulkLoadException e = failureOf("c", "b", "a");

        assertThat(e)
                .hasMessage(
                        "2 of 3 keys of cache 'fleet' have no answer; the first failure: the loader failed for 'fleet:c'"
                                + " (java.io.IOException: origin is down)");
        assertThat(e.values()).containsExactly(Map.entry("b", "put"));
        assertThat(e.failures().keySet()).as("in the order of the keys").containsExactly("c", "a");
        e.failures()
                .values()
                .forEach(each ->
                        assertThat(each).isInstanceOf(LoadException.class).hasCause(down));
        assertThat(e.failures().get("c")).hasMessage("the loader failed for 'fleet:c'");
        assertThat(e).cause().isSameAs(e.failures().get("c"));
        assertThatThrownBy(() -> e.values().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> e.failures().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void failedLoadCoolsItsOwnKeysDownAndNoOthers() {
        origin.fail(down);
        failureOf("a", "b");
        origin.fail(null);

        BulkLoadException e = failureOf("a", "b", "c");

        assertThat(e.values()).containsExactly(Map.entry("c", "c's"));
        assertThat(e.failures()).containsOnlyKeys("a", "b");
        assertThat(e.failures().get("a")).isInstanceOf(RecentLoadFailureException.class);
        assertThat(origin.calls()).containsExactly(List.of("a", "b"), List.of("c"));
        assertThat(fleet.store().count(Call.FAIL_ALL)).isEqualTo(1);

        fleet.advance(ofMillis(200));
        assertThat(fleet.cache(1).getAll(List.of("a", "b"), origin)).hasSize(2);
    }

    @Test
    void eachKeyCoolsDownByItsOwnRowOfFailures() {
        origin.fail(down);
        failureOf("a");
        fleet.advance(ofMillis(200));
        failureOf("a", "b");
        fleet.advance(ofMillis(200));
        origin.fail(null);

        BulkLoadException e = failureOf("a", "b");

        assertThat(e.values()).as("failed once: 200 ms").containsOnlyKeys("b");
        assertThat(((RecentLoadFailureException) e.failures().get("a")).retryAfter())
                .as("failed twice: 400 ms")
                .isEqualTo(ofMillis(200));
    }

    @Test
    void nullInPlaceOfAMapIsAFailure() {
        assertThatThrownBy(() -> cache.getAll(List.of("a"), keys -> null))
                .isInstanceOf(BulkLoadException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("the bulk loader returned null");
    }

    @Test
    void mapThatThrowsWhenItIsAskedIsAFailure() {
        Map<String, String> touchy = new TreeMap<>((one, other) -> {
            throw new IllegalArgumentException("no order");
        });

        assertThatThrownBy(() -> cache.getAll(List.of("a", "b"), keys -> {
                    touchy.put("z", "");
                    return touchy;
                }))
                .isInstanceOf(BulkLoadException.class)
                .hasRootCauseMessage("no order");
    }

    @Test
    void interruptedLoaderFailsItsCallerAndTheOthersLoadForThemselves() throws Exception {
        origin.close();
        Callers.Call<Boolean> leader = fleet.callers().call(() -> {
            BulkLoadException e = failureOf("a", "b");
            assertThat(e.failures().get("a"))
                    .isInstanceOf(LoadException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return Thread.interrupted();
        });
        until(() -> origin.running() == 1);
        Callers.Call<Map<String, String>> follower = fleet.getAll(0, "b", "a");
        fleet.time().awaitWaiting(1);

        leader.interrupt();
        until(() -> origin.calls().size() == 2);
        origin.open();

        assertThat(leader.result()).as("its flag is set again").isTrue();
        assertThat(follower.result()).hasSize(2);
    }

    @Test
    void batchWithoutAPermitReportsOthersValuesAndABusyOrigin() throws Exception {
        CachePolicy patient = POLICY.toBuilder().loadTimeout(ofSeconds(30)).build();
        try (Fleet busy = new Fleet(2, patient)) {
            busy.bulkOrigin().close();
            busy.getAll(0, "slow");
            until(() -> busy.bulkOrigin().running() == 1);
            Callers.Call<Map<String, String>> late = busy.getAll(0, "a", "b");
            busy.time().awaitWaiting(1);
            busy.cache(1).put("a", "put");

            busy.advance(patient.waitTimeout());

            BulkLoadException e = (BulkLoadException) late.failure();
            assertThat(e.values()).containsExactly(Map.entry("a", "put"));
            assertThat(e.failures().get("b"))
                    .isInstanceOf(OriginBusyException.class)
                    .hasMessageContaining("'fleet:b'")
                    .hasMessageContaining("maxConcurrentLoads");
        }
    }

    @Test
    void loaderMayAskForOtherKeysUnderItsOwnPermit() {
        Map<String, String> answer = cache.getAll(List.of("a", "b"), keys -> {
            Map<String, String> parts = cache.getAll(List.of("x", "y"), origin);
            return Map.of("a", parts.get("x"), "b", cache.get("z", origin::load));
        });

        assertThat(answer).containsExactly(Map.entry("a", "x's"), Map.entry("b", "z's"));
    }

    @Test
    void recursiveRequestFailsForTheLoadersKeysOnly() {
        List<BulkLoadException> told = new ArrayList<>();
        assertThat(cache.getAll(List.of("a", "b"), keys -> {
                    told.add(failureOf("b", "c"));
                    assertThatThrownBy(() -> cache.get("a", origin::load)).isInstanceOf(RecursiveLoadException.class);
                    return Map.of("a", "1", "b", "2");
                }))
                .hasSize(2);

        assertThat(told.get(0).values()).containsOnlyKeys("c");
        assertThat(told.get(0).failures()).containsOnlyKeys("b");
        assertThat(told.get(0)).hasCauseInstanceOf(RecursiveLoadException.class);
    }

    private BulkLoadException failureOf(String... keys) {
        return catchThrowableOfType(BulkLoadException.class, () -> cache.getAll(List.of(keys), origin));
    }
}
