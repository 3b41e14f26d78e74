package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.LookupResult.Fence;
import io.stampedeguard.loader.LookupResult.State;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.SetFilter;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P2 for look-ups and puts by hand: a caller that was slow does not bring back what another process has changed meanwhile. */
final class FencedPutTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(30)).build();

    @AutoClose
    private final Fleet fleet = Fleet.near(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final StampedeGuardedCache<String, String> other = fleet.cache(1);

    private static final List<Consumer<StampedeGuardedCache<String, String>>> CHANGES = List.of(
            cache -> cache.invalidate("k"),
            cache -> cache.expire("k"),
            cache -> cache.keyCreated("k"),
            cache -> cache.put("k", "changed"),
            cache -> cache.put("k", LoadedValue.absent()),
            cache -> cache.put("k", LoadedValue.of("v").doNotCache()),
            cache -> cache.put("k", "changed", cache.lookup("k").fence()));

    private Fence fence() {
        return cache.lookup("k").fence();
    }

    private void assertRefused(Fence fence) {
        byte[] before = on(fleet.store()).read("fleet:k");
        assertThat(cache.put("k", "late", fence)).isFalse();
        assertThat(on(fleet.store()).read("fleet:k")).isEqualTo(before);
    }

    @Test
    void withoutAChangeTheValueIsStoredForTheFleet() {
        assertThat(cache.put("k", "by hand", fence())).isTrue();
        assertThat(other.get("k", fleet.origin()::read)).isEqualTo("by hand");

        assertThat(other.put("k", "next", other.lookup("k").fence())).isTrue();

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("next");
        assertThat(fleet.origin().reads()).isZero();
        assertThat(fleet.listener().count(EventType.STORED)).isEqualTo(2);
    }

    @Test
    void lookupResultPrintsBytesAndNoArrayIdentity() {
        cache.put("k", "v");
        assertThat(cache.lookup("k").toString())
                .startsWith("LookupResult[state=VALUE, value=v")
                .contains("mark=0000")
                .doesNotContain("[B@");
    }

    @Test
    void eachChangeByAnyProcessEndsTheFenceOfNothing() {
        for (StampedeGuardedCache<String, String> changing : List.of(cache, other)) {
            for (Consumer<StampedeGuardedCache<String, String>> change : CHANGES) {
                Fence fence = fence();
                change.accept(changing);
                assertRefused(fence);
                changing.invalidate("k"); // nothing again
                assertRefused(fence);
            }
        }
    }

    /** Once with a copy in this process, and once read from the store. */
    @Test
    void eachChangeByAnyProcessEndsFencesOfValuesAndAbsence() {
        for (LoadedValue<String> found : List.of(LoadedValue.of("v"), LoadedValue.<String>absent())) {
            for (Consumer<StampedeGuardedCache<String, String>> change : CHANGES) {
                other.put("k", found);
                Fence ofEntry = fence();
                Fence ofCopy = fence();
                fleet.store().loseChanges(); // this process does not notice
                change.accept(other);
                assertRefused(ofEntry);
                assertRefused(ofCopy);
                fleet.store().heal();
            }
        }
    }

    @Test
    void fenceOfAStaleValueEndsWithEachChange() {
        for (Consumer<StampedeGuardedCache<String, String>> change : CHANGES) {
            other.put("k", "v");
            other.expire("k");
            LookupResult<String> stale = cache.lookup("k");
            assertThat(stale.isStale()).isTrue();
            change.accept(other);
            assertRefused(stale.fence());
            other.invalidate("k");
        }
        other.put("k", "v");
        other.expire("k");
        assertThat(cache.put("k", "by hand", fence())).isTrue();
    }

    @ForEach
    void eachFormOfGetThatLoadsEndsTheFence(FormOfGet form) throws Throwable {
        Fence fence = fence();

        assertThat(form.ask(other, fleet.origin())).isEqualTo("one");
        assertRefused(fence);
        other.invalidate("k");

        assertRefused(fence);
    }

    @Test
    void aReloadEndsTheFenceOfTheValueBeforeIt() {
        other.get("k", fleet.origin()::read);
        Fence fence = fence();
        fleet.advance(ofSeconds(10));
        fleet.origin().write("two");
        other.get("k", fleet.origin()::read);
        until(() -> other.reloading() == 0);

        assertRefused(fence);
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("two");
    }

    /** The copy that was looked up is read again, so that a second attempt succeeds. */
    @Test
    void refusedPutOutdatesTheCopyOfThisProcess() {
        other.put("k", "v");
        fence();
        Fence ofCopy = fence();
        fleet.store().loseChanges();
        other.put("k", "w");

        assertRefused(ofCopy);

        LookupResult<String> again = cache.lookup("k");
        assertThat(again.value()).isEqualTo("w");
        assertThat(cache.put("k", "x", again.fence())).isTrue();
        assertThat(cache.lookup("k").value()).isEqualTo("x");
    }

    @Test
    void absenceAndTtlsAreStoredToo() {
        assertThat(cache.put("k", LoadedValue.absent(), fence())).isTrue();
        assertThat(other.lookup("k").state()).isEqualTo(State.ABSENT);

        assertThat(cache.put("k", LoadedValue.of("v").hardTtl(ofSeconds(1)), fence()))
                .isTrue();
        fleet.advance(ofSeconds(1));
        assertThat(other.lookup("k").state()).isEqualTo(State.NOTHING);
    }

    @Test
    void whatIsNotToBeCachedRemovesTheKeyWhateverTheFence() {
        Fence fence = fence();
        other.put("k", "v");

        assertThat(cache.put("k", LoadedValue.of("w").doNotCache(), fence)).isFalse();

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @Test
    void fenceEndsAfterTheLoadTimeout() {
        Fence first = fence();
        fleet.advance(POLICY.loadTimeout().minusNanos(1));
        assertThat(cache.put("k", "v", first)).isTrue();
        cache.invalidate("k");

        Fence second = fence();
        fleet.advance(POLICY.loadTimeout());
        assertRefused(second);
    }

    @Test
    void fenceIsOfItsKeyAndOfACache() {
        Fence fence = fence();

        assertThatThrownBy(() -> cache.put("l", "v", fence))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the fence is not of a look-up of 'fleet:l', but of 'fleet:k'");
        assertThatThrownBy(() -> cache.put("k", "v", new Fence() {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the fence is not of a look-up of 'fleet:k'");
    }

    @ForEach
    void putIsRefusedAndNotQueuedDuringAnOutage(StoreFailureMode mode) {
        try (Fleet queueing =
                Fleet.near(2, POLICY.toBuilder().onStoreFailure(mode).build())) {
            StampedeGuardedCache<String, String> here = queueing.cache(0);
            Fence fence = here.lookup("k").fence();
            queueing.store().refuse();

            assertThat(here.put("k", "v", fence)).isFalse();

            assertThat(queueing.gauges(0).queuedChanges()).isZero();
            assertThat(here.faults(FaultSource.STORE)).isEqualTo(1);
            queueing.store().heal();
            assertThat(here.lookup("k").state()).isEqualTo(State.NOTHING);
        }
    }

    @Test
    void putWithALostAnswerCountsAsRefusedAndOutdatesCopies() {
        cache.put("k", "old");
        fence();
        Fence fence = fence();
        fleet.store().loseAnswers(Call.PUT);

        assertThat(cache.put("k", "v", fence)).isFalse();

        assertThat(cache.lookup("k").value()).isEqualTo("v");
    }

    /** The queued invalidation is sent first, and ends the fence. */
    @Test
    void ownQueuedChangeIsSentBeforeThePut() {
        Fence fence = fence();
        fleet.store().refuse(Call.INVALIDATE);
        cache.invalidate("k");
        assertThat(cache.put("k", "late", fence)).isFalse();
        assertThat(fleet.store().count(Call.PUT)).as("not sent ahead of it").isZero();
        fleet.store().heal();

        assertRefused(fence);
        assertThat(fleet.gauges(0).queuedChanges()).isZero();
    }

    /** A change of another process that is cut off becomes known when it is sent, as with each queued change. */
    @Test
    void queuedChangeOfAnotherProcessRemovesWhatWasPut() {
        Fence fence = fence();
        fleet.store().refuse(Call.INVALIDATE);
        other.invalidate("k");

        assertThat(cache.put("k", "late", fence)).isTrue();
        fleet.store().heal();

        assertThat(other.lookup("k").state()).isEqualTo(State.NOTHING);
        assertThat(cache.lookup("k").state()).isEqualTo(State.NOTHING);
    }

    @Test
    void keyFilterContainsTheKeyBeforeTheValueIsStored() {
        SetFilter<String> filter = new SetFilter<>(Set.of("k"));
        try (Fleet filtered = new Fleet(1, POLICY, builder -> builder.keyFilter(filter))) {
            Fence fence = filtered.cache(0).lookup("k").fence();
            filter.failsToAdd(true);

            assertThatThrownBy(() -> filtered.cache(0).put("k", "v", fence)).isInstanceOf(StoreException.class);

            assertThat(on(filtered.store()).read("fleet:k")).isNull();
            filter.failsToAdd(false);
            assertThat(filtered.cache(0).put("k", "v", fence)).isTrue();
        }
    }
}
