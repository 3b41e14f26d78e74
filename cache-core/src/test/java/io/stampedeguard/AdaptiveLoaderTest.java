package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.AdaptiveAsyncLoader;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.PreviousValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.TextCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A loader may set the TTLs of its value, and report that nothing has changed. */
final class AdaptiveLoaderTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(30))
            .failureCoolDown(Duration.ZERO)
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    private long loads() {
        return fleet.listener().count(EventType.LOAD_STORED);
    }

    @Test
    void ownSoftTtlIsHeededAndTheHardTtlFollowsInProportion() {
        Loader<String, String> loader =
                Loader.adaptive((key, previous) -> LoadedValue.of("one").softTtl(ofSeconds(2)));
        cache.get("k", loader);
        fleet.advance(ofMillis(1_999));
        cache.get("k", loader);
        assertThat(loads()).isEqualTo(1);

        fleet.advance(ofMillis(1));
        assertThat(cache.get("k", loader)).isEqualTo("one");
        until(() -> loads() == 2);
        fleet.advance(ofMillis(6_000));
        assertThat(on(fleet.store()).read("fleet:k")).as("three times as long").isNull();
    }

    @Test
    void ownHardTtlCutsTheSoftTtl() {
        Loader<String, String> loader =
                Loader.adaptive((key, previous) -> LoadedValue.of("one").hardTtl(ofSeconds(3)));
        cache.get("k", loader);
        fleet.advance(ofMillis(2_999));
        cache.get("k", loader);
        assertThat(loads()).isEqualTo(1);

        fleet.advance(ofMillis(1));
        cache.get("k", loader);
        assertThat(loads()).isEqualTo(2);
    }

    @Test
    void absenceMayHaveItsOwnTtlUpToFiveMinutes() {
        Loader<String, String> loader =
                Loader.adaptive((key, previous) -> LoadedValue.<String>absent().softTtl(ofMinutes(60)));
        assertThat(cache.get("k", loader)).isNull();
        fleet.advance(ofSeconds(299));
        assertThat(cache.get("k", loader)).isNull();
        assertThat(loads()).isEqualTo(1);

        fleet.advance(ofSeconds(1));
        assertThat(cache.get("k", loader)).isNull();
        assertThat(loads()).isEqualTo(2);
    }

    /** In each form of {@code get}, with and without copies in the process. */
    @ForEach
    void ownTtlCachesAbsenceDespiteAZeroNegativeTtl(boolean near) throws Exception {
        CachePolicy uncached = POLICY.toBuilder().negativeTtl(Duration.ZERO).build();
        AtomicInteger calls = new AtomicInteger();
        Loader<String, String> loader = Loader.adaptive((key, previous) -> {
            calls.incrementAndGet();
            return LoadedValue.<String>absent().softTtl(ofSeconds(5));
        });
        try (Fleet other = near ? Fleet.near(2, uncached) : new Fleet(2, uncached)) {
            for (int round = 1; round <= 2; round++) {
                assertThat(other.cache(0).get("k", loader)).isNull();
                assertThat(other.cache(1).get("k", loader)).isNull();
                assertThat(other.cache(1)
                                .getAsync("k", AdaptiveLoaderTest::unused)
                                .get())
                        .isNull();
                assertThat(other.cache(1).getAll(List.of("k"), AdaptiveLoaderTest::unused))
                        .isEmpty();
                assertThat(calls).hasValue(round);
                other.advance(ofSeconds(5));
            }
            assertThat(other.cache(0).get("k", key -> null)).isNull();
            assertThat(on(other.store()).read("fleet:k"))
                    .as("without a length of its own")
                    .isNull();
        }
    }

    private static <K, V> V unused(K key) {
        throw new AssertionError("loaded, although it is cached");
    }

    static Stream<LoadedValue<String>> removals() {
        return Stream.of(
                LoadedValue.of("two").doNotCache(),
                LoadedValue.<String>notModified().softTtl(Duration.ZERO));
    }

    @ParameterizedTest
    @MethodSource("removals")
    void whatIsNotToBeCachedRemovesTheEntryBefore(LoadedValue<String> loaded) {
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(10));
        Loader<String, String> loader = Loader.adaptive((key, previous) -> loaded);
        assertThat(cache.get("k", loader)).as("stale").isEqualTo("one");
        until(() -> fleet.listener().count(EventType.LOAD_NOT_STORED) == 1);
        until(() -> cache.reloading() == 0);

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.origin().reads()).as("loaded anew").isEqualTo(2);
    }

    @Test
    void reloadThatStoresNothingIsNotTriedAgainAtOnce() {
        AtomicInteger encoded = new AtomicInteger();
        ScriptedCodec onlyOnce = ScriptedCodec.encoding(
                value -> assertThat(encoded.incrementAndGet()).isOne());
        try (StampedeGuardedCache<String, String> odd =
                fleet.builder("fleet").codec(onlyOnce).build()) {
            odd.get("odd", fleet.origin()::read);
            fleet.advance(ofSeconds(10));

            for (int i = 0; i < 1_000; i++) {
                assertThat(odd.get("odd", fleet.origin()::read)).isEqualTo("one");
            }
            until(() -> odd.reloading() == 0);

            assertThat(fleet.origin().reads()).isEqualTo(2);
        }
    }

    @Test
    void extensionKeepsThePayloadThoughTheCodecMovesThroughIt() {
        try (StampedeGuardedCache<String, String> odd =
                fleet.builder("fleet").codec(new TextCodec("moving", 1)).build()) {
            odd.get("moving", fleet.origin()::read);
            fleet.advance(ofSeconds(10));
            odd.get("moving", Loader.adaptive((key, previous) -> LoadedValue.notModified()));
            until(() -> loads() == 2);

            assertThat(odd.get("moving", fleet.origin()::read)).isEqualTo("one");
            assertThat(fleet.origin().reads()).isEqualTo(1);
        }
    }

    @Test
    void immenseTtlsAreCut() {
        Loader<String, String> loader =
                Loader.adaptive((key, previous) -> LoadedValue.of("one").softTtl(ChronoUnit.FOREVER.getDuration()));
        cache.get("k", loader);
        fleet.advance(Duration.ofDays(3649));
        cache.get("k", loader);
        assertThat(loads()).isEqualTo(1);
    }

    @Test
    void reloadSeesThePreviousValueAndMayExtendIt() {
        AtomicReference<PreviousValue<String>> seen = new AtomicReference<>();
        Instant loadedAt = Instant.ofEpochMilli(fleet.time().wallMillis());
        cache.get("k", Loader.adaptive((key, previous) -> {
            assertThat(previous).isNull();
            return LoadedValue.of("one");
        }));
        fleet.advance(ofSeconds(10));

        Loader<String, String> unchanged = Loader.adaptive((key, previous) -> {
            seen.set(previous);
            return LoadedValue.notModified();
        });
        assertThat(cache.get("k", unchanged)).isEqualTo("one");
        until(() -> loads() == 2);

        assertThat(seen.get()).isEqualTo(new PreviousValue<>("one", loadedAt));
        assertThat(fleet.store().count(Call.PUBLISH))
                .as("the payload was sent once")
                .isEqualTo(1);
        assertThat(fleet.store().count(Call.EXTEND)).isEqualTo(1);
        fleet.advance(ofMillis(9_999));
        assertThat(cache.get("k", unchanged)).isEqualTo("one");
        assertThat(loads()).as("fresh again").isEqualTo(2);
        fleet.advance(ofMillis(20_000));
        assertThat(cache.get("k", unchanged)).as("and within its new hard TTL").isEqualTo("one");
    }

    @Test
    void extensionAfterAnInvalidationIsRefused() {
        cache.get("k", fleet.origin()::read);
        fleet.advance(ofSeconds(10));
        fleet.store().before(Call.EXTEND, () -> cache.invalidate("k"));

        cache.get("k", Loader.adaptive((key, previous) -> LoadedValue.notModified()));
        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @Test
    void withoutALeaseNoPreviousValueComesBackAfterAnInvalidation() {
        cache.get("k", fleet.origin()::read);
        fleet.store().refuse(Call.LEASE, Call.INVALIDATE).before(Call.LEASE, () -> {
            fleet.origin().write("two");
            cache.invalidate("k");
        });
        AdaptiveLoader<String, String> unchanged = (key, previous) ->
                previous == null ? LoadedValue.of(fleet.origin().read(key)) : LoadedValue.notModified();

        cache.refresh("k", unchanged).join();

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("two");
    }

    @Test
    void underALeaseNoPreviousValueAnswersWhoCameAfterAnInvalidation() throws Exception {
        cache.get("k", fleet.origin()::read);
        Callers.Call<?>[] later = new Callers.Call<?>[1];
        fleet.store().after(Call.READ, () -> {
            fleet.origin().write("two");
            cache.invalidate("k");
            fleet.store().before(Call.LEASE, () -> {
                later[0] = fleet.get(0, "k");
                until(() -> cache.explain("k").waiters() == 1);
            });
        });

        AdaptiveLoader<String, String> unchanged = (key, previous) -> LoadedValue.notModified();
        cache.refresh("k", unchanged).join();

        assertThat(later[0].result()).isEqualTo("two");
    }

    @Test
    void notModifiedWithoutAPreviousValueIsAFailure() {
        assertThatThrownBy(() -> cache.get("k", Loader.adaptive((key, previous) -> LoadedValue.notModified())))
                .isInstanceOf(LoadException.class)
                .hasRootCauseMessage("the adaptive loader returned notModified, without a previous value");
    }

    @Test
    void adaptiveLoaderThatReturnsNullIsAFailure() {
        assertThatThrownBy(() -> cache.get("k", Loader.adaptive((key, previous) -> null)))
                .isInstanceOf(LoadException.class)
                .hasRootCauseMessage("the adaptive loader returned null");
    }

    private @Nullable String getAsync(AdaptiveAsyncLoader<String, String> loader) throws Exception {
        return cache.getAsync("k", AsyncLoader.adaptive(loader)).get(1, TimeUnit.MINUTES);
    }

    @Test
    void asynchronousLoaderSetsTheTtlAndExtendsThePreviousValue() throws Exception {
        AtomicReference<PreviousValue<String>> seen = new AtomicReference<>();
        Instant loadedAt = Instant.ofEpochMilli(fleet.time().wallMillis());
        assertThat(getAsync(
                        (key, previous) -> completedFuture(LoadedValue.of("one").softTtl(ofSeconds(2)))))
                .isEqualTo("one");
        fleet.advance(ofMillis(1_999));
        assertThat(getAsync(AdaptiveLoaderTest::unused)).isEqualTo("one");
        fleet.advance(ofMillis(1));

        assertThat(getAsync((key, previous) -> {
                    seen.set(previous);
                    return completedFuture(LoadedValue.notModified());
                }))
                .as("stale")
                .isEqualTo("one");
        until(() -> loads() == 2);

        assertThat(seen.get()).isEqualTo(new PreviousValue<>("one", loadedAt));
        assertThat(fleet.store().count(Call.EXTEND)).isEqualTo(1);
        assertThat(getAsync(AdaptiveLoaderTest::unused)).isEqualTo("one");
    }

    private static <K, P, V> V unused(K key, P previous) {
        return unused(key);
    }

    @Test
    void asynchronousLoaderKeepsItsResultOutOfTheCache() throws Exception {
        for (int round = 1; round <= 2; round++) {
            assertThat(getAsync((key, previous) ->
                            completedFuture(LoadedValue.of("one").doNotCache())))
                    .isEqualTo("one");
            assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(round);
        }
        assertThat(on(fleet.store()).read("fleet:k")).isNull();
    }

    @Test
    void asynchronousLoaderWithoutAResultFails() {
        assertThatThrownBy(() -> getAsync((key, previous) -> completedFuture(null)))
                .hasRootCauseMessage("the stage of the adaptive loader completed with null");
        assertThatThrownBy(() -> getAsync((key, previous) -> completedFuture(LoadedValue.notModified())))
                .hasRootCauseMessage("the adaptive loader returned notModified, without a previous value");
        assertThatThrownBy(() -> getAsync((key, previous) -> null))
                .hasRootCauseMessage("the asynchronous loader returned null instead of a stage");
        assertThatThrownBy(() -> getAsync((key, previous) -> failedFuture(new IllegalStateException("no answer"))))
                .hasRootCauseMessage("no answer");
    }

    @Test
    void adaptiveAsynchronousLoaderIsAPlainOneToo() throws Exception {
        AsyncLoader<String, String> loader =
                AsyncLoader.adaptive((key, previous) -> completedFuture(LoadedValue.of(key + previous)));

        assertThat(loader.load("k").toCompletableFuture().get(1, TimeUnit.MINUTES))
                .isEqualTo("knull");
    }

    /** What an origin may state: "do not keep this", also as a length, a token about to expire, or one that has expired. */
    static Stream<Arguments> notToBeCached() {
        List<LoadedValue<String>> loaded =
                new ArrayList<>(List.of(LoadedValue.of("one").doNotCache()));
        for (Duration length : List.of(
                Duration.ZERO,
                Duration.ofNanos(999_999),
                ofMillis(-1),
                ofSeconds(-5),
                ChronoUnit.FOREVER.getDuration().negated())) {
            loaded.add(LoadedValue.of("one").softTtl(length));
            loaded.add(LoadedValue.of("one").hardTtl(length));
            loaded.add(LoadedValue.of("one").softTtl(ofMinutes(1)).hardTtl(length));
            loaded.add(LoadedValue.<String>absent().softTtl(length));
            loaded.add(LoadedValue.<String>absent().hardTtl(length));
        }
        return loaded.stream()
                .flatMap(value -> Stream.of(false, true).map(nearCache -> Arguments.of(value, nearCache)));
    }

    @ParameterizedTest
    @MethodSource("notToBeCached")
    void valueThatIsNotToBeCachedIsReturnedAndForgotten(LoadedValue<String> loaded, boolean nearCache)
            throws Exception {
        AtomicInteger loads = new AtomicInteger();
        AdaptiveLoader<String, String> loader = (key, previous) -> {
            loads.incrementAndGet();
            return loaded;
        };
        StampedeGuardedCacheBuilder<String, String> builder =
                fleet.builder("short").loader(loader).policy(CachePolicy.defaults());
        if (nearCache) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(10).build());
        }
        try (StampedeGuardedCache<String, String> own = builder.build()) {
            assertThat(own.get("k", loader)).isEqualTo(loaded.value());
            assertThat(own.get("k")).isEqualTo(loaded.value());
            assertThat(own.getAll(List.of("k")).get("k")).isEqualTo(loaded.value());
            assertThat(own.getAsync("k").get(1, TimeUnit.MINUTES)).isEqualTo(loaded.value());
            assertThat(own.getAllAsync(List.of("k")).get(1, TimeUnit.MINUTES).get("k"))
                    .isEqualTo(loaded.value());
            assertThat(loads).as("nothing is kept, and no key cools down").hasValue(5);
            assertThat(on(fleet.store()).read("short:k")).isNull();
            assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(5);
        }
    }

    @Test
    void laterLengthReplacesOneThatWasTooShort() {
        LoadedValue<String> loaded = LoadedValue.of("one").softTtl(Duration.ZERO);
        assertThat(loaded.isCached()).isFalse();
        assertThat(loaded).hasToString("LoadedValue[a value, softTtl=PT0S, hardTtl=null, not to be cached]");
        assertThat(loaded.softTtl(ofMillis(1)).isCached()).isTrue();
        assertThat(loaded.softTtl(ofMillis(1)).doNotCache().isCached()).isFalse();
    }
}
