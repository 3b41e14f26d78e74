package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.WithoutNotifications;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A load that reads an older snapshot of the origin answers its own caller, and nobody else if the key was changed since. */
final class SnapshotLoadsTest {
    private static final CachePolicy POLICY = exact(ofSeconds(100), ofSeconds(200))
            .failureCoolDown(ofSeconds(0))
            .changeMemory(ofSeconds(60))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    /** A transaction that sees the origin as it is now. */
    private final class Snapshot {
        private final Instant begin = Instant.ofEpochMilli(fleet.time().wallMillis());
        private final String row = read();

        LoadedValue<String> loaded() {
            return LoadedValue.of(row).asOf(begin);
        }

        AdaptiveLoader<String, String> loader() {
            return (key, previous) -> loaded();
        }
    }

    private String read() {
        try {
            return fleet.origin().read("k");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Begins a transaction, after which the row is changed and the key as well. */
    private Snapshot oldSnapshot(Consumer<StampedeGuardedCache<String, String>> change) {
        Snapshot old = new Snapshot();
        fleet.advance(ofMillis(10));
        fleet.origin().write("two");
        change.accept(fleet.cache(1));
        fleet.advance(ofMillis(10));
        return old;
    }

    /** The forms of {@code get} with a loader that can say as of when it has read. */
    private enum Form {
        GET {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, AdaptiveLoader<String, String> loader) {
                return cache.get("k", loader);
            }
        },
        GET_ASYNC {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, AdaptiveLoader<String, String> loader)
                    throws Exception {
                return cache.getAsync(
                                "k",
                                AsyncLoader.adaptive((key, previous) ->
                                        CompletableFuture.completedFuture(loader.load(key, previous))))
                        .get();
            }
        },
        REFRESH {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, AdaptiveLoader<String, String> loader)
                    throws Exception {
                return cache.refresh("k", loader).get();
            }
        },
        GATHERED {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, AdaptiveLoader<String, String> loader) {
                return cache.get(
                        "k",
                        AdaptiveLoader.gathering(
                                keys -> {
                                    Map<String, LoadedValue<String>> loaded = new HashMap<>();
                                    for (String key : keys) {
                                        loaded.put(key, loader.load(key, null));
                                    }
                                    return loaded;
                                },
                                10,
                                ofMillis(1)));
            }
        };

        abstract @Nullable String ask(StampedeGuardedCache<String, String> cache, AdaptiveLoader<String, String> loader)
                throws Exception;
    }

    static Stream<Consumer<StampedeGuardedCache<String, String>>> changes() {
        return Stream.of(
                each -> each.invalidate("k"),
                each -> each.invalidateAll(List.of("k", "other")),
                each -> each.expire("k"),
                StampedeGuardedCache::invalidateAll,
                StampedeGuardedCache::expireAll,
                each -> {
                    each.put("k", "two");
                    each.invalidate("k");
                });
    }

    @ForEach
    void oldSnapshotAnswersOnlyItsOwnCaller(Form form) throws Exception {
        Snapshot old = oldSnapshot(each -> each.invalidate("k"));

        assertThat(form.ask(cache, old.loader())).isEqualTo("one");

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        assertThat(fleet.cache(0).get("k")).isEqualTo("two");
        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void eachChangeIsRemembered(Consumer<StampedeGuardedCache<String, String>> change) {
        Snapshot old = oldSnapshot(change);

        assertThat(cache.get("k", old.loader())).isEqualTo("one");

        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
    }

    @Test
    void withoutATimeTheOldValueIsServed() {
        Snapshot old = oldSnapshot(each -> each.invalidate("k"));

        cache.get("k", key -> old.row);

        assertThat(fleet.cache(1).get("k")).as("why the time is needed").isEqualTo("one");
    }

    @ForEach
    void snapshotFromAfterTheChangeAnswersEverybody(Form form) throws Exception {
        oldSnapshot(each -> each.invalidate("k"));
        Snapshot young = new Snapshot();
        fleet.advance(ofMillis(10));

        assertThat(form.ask(cache, young.loader())).isEqualTo("two");

        fleet.origin().write("three");
        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isZero();
    }

    @Test
    void callersThatJoinedBeforeTheLoadAreNotAnswered() throws Exception {
        Snapshot old = oldSnapshot(each -> each.invalidate("k"));
        Callers.Call<?>[] early = new Callers.Call<?>[1];
        fleet.store().before(Call.LEASE, () -> {
            early[0] = fleet.get(0, "k");
            until(() -> cache.explain("k").waiters() == 1);
        });

        assertThat(cache.get("k", old.loader())).isEqualTo("one");

        assertThat(early[0].result()).isEqualTo("two");
    }

    @Test
    void callersOfAnotherProcessAreNotAnswered() throws Exception {
        Snapshot old = oldSnapshot(each -> each.invalidate("k"));
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        Callers.Call<String> own = fleet.callers()
                .call(() -> cache.get("k", Loader.adaptive((key, previous) -> {
                    loading.countDown();
                    gate.await();
                    return old.loaded();
                })));
        loading.await();
        Callers.Call<String> other = fleet.get(1, "k");
        until(() -> fleet.store().watches() == 1);
        gate.countDown();

        assertThat(own.result()).isEqualTo("one");
        assertThat(other.result()).isEqualTo("two");
    }

    @Test
    void refusedReloadLeavesTheStaleEntry() {
        cache.put("k", "one");
        Snapshot old = oldSnapshot(each -> each.expire("k"));

        assertThat(cache.get("k", old.loader())).as("stale").isEqualTo("one");
        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);

        assertThat(cache.getIfPresent("k")).isEqualTo("one");
        until(() -> {
            fleet.advance(ofMillis(300));
            return "two".equals(cache.get("k"));
        });
    }

    @Test
    void notModifiedAsOfAnOlderTimeDoesNotRenewTheEntry() {
        cache.put("k", "one");
        Snapshot old = oldSnapshot(each -> each.expire("k"));

        cache.get(
                "k",
                Loader.adaptive((key, previous) -> previous == null
                        ? old.loaded()
                        : LoadedValue.<String>notModified().asOf(old.begin)));
        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);
        assertThat(fleet.listener().count(EventType.LOAD_STORED)).isZero();

        until(() -> {
            fleet.advance(ofMillis(300));
            Snapshot young = new Snapshot();
            cache.get(
                    "k",
                    Loader.adaptive(
                            (key, previous) -> LoadedValue.<String>notModified().asOf(young.begin)));
            return fleet.listener().count(EventType.LOAD_STORED) == 1;
        });
        assertThat(cache.explain("k").entry().state()).hasToString("FRESH");
    }

    @Test
    void valueThatIsNotCachedAnswersOnlyItsOwnCaller() throws Exception {
        Snapshot old = oldSnapshot(each -> each.invalidate("k"));
        Callers.Call<?>[] early = new Callers.Call<?>[1];
        fleet.store().before(Call.LEASE, () -> {
            early[0] = fleet.get(0, "k");
            until(() -> cache.explain("k").waiters() == 1);
        });

        assertThat(cache.get(
                        "k", Loader.adaptive((key, previous) -> old.loaded().doNotCache())))
                .isEqualTo("one");

        assertThat(early[0].result()).isEqualTo("two");
    }

    @Test
    void nearCacheDoesNotKeepARefusedValue() {
        try (Fleet near = Fleet.near(2, POLICY)) {
            Instant begin = Instant.ofEpochMilli(near.time().wallMillis());
            near.advance(ofMillis(10));
            near.cache(1).invalidate("k");

            near.cache(0)
                    .get(
                            "k",
                            Loader.adaptive(
                                    (key, previous) -> LoadedValue.of("old").asOf(begin)));

            assertThat(near.cache(0).get("k")).isEqualTo("one");
        }
    }

    @Test
    void unansweredPublicationIsKeptByNobody() {
        Snapshot old = oldSnapshot(each -> each.invalidate("k"));
        fleet.store().refuse(Call.PUBLISH);

        assertThat(cache.get("k", old.loader())).isEqualTo("one");

        fleet.store().heal();
        assertThat(cache.get("k")).isEqualTo("two");
    }

    @Test
    void valueIsKeptWhileTheStoreDoesNotAnswer() {
        Snapshot snapshot = new Snapshot();
        fleet.store().refuse();

        assertThat(cache.get("k", snapshot.loader())).isEqualTo("one");

        assertThat(cache.get("k")).isEqualTo("one");
        assertThat(fleet.origin().reads()).as("one by the snapshot").isEqualTo(1);
    }

    /** The forms of {@code get}, each after a change of this process that the store has answered or not. */
    static Stream<Arguments> formsAfterAChange() {
        return Stream.of(Form.values())
                .flatMap(form -> changes()
                        .flatMap(change ->
                                Stream.of(true, false).map(isAnswered -> Arguments.of(form, change, isAnswered))));
    }

    @ParameterizedTest
    @MethodSource("formsAfterAChange")
    void oldValueIsKeptByNobodyAfterAChangeOfThisProcess(
            Form form, Consumer<StampedeGuardedCache<String, String>> change, boolean isAnswered) throws Exception {
        Snapshot old = new Snapshot();
        fleet.advance(ofMillis(10));
        fleet.origin().write("two");
        if (isAnswered) {
            change.accept(cache);
            fleet.store().refuse();
        } else {
            fleet.store().refuse();
            change.accept(cache);
        }
        fleet.advance(ofMillis(10));

        form.ask(cache, old.loader());

        assertThat(cache.get("k")).isEqualTo("two");
    }

    @ForEach
    void valueAsOfAFutureTimeIsKeptByNobody(boolean isAnswered) {
        if (!isAnswered) {
            fleet.store().refuse();
        }
        Instant later = Instant.ofEpochMilli(fleet.time().wallMillis() + 10);

        cache.get(
                "k", Loader.adaptive((key, previous) -> LoadedValue.of("early").asOf(later)));

        assertThat(cache.get("k")).isEqualTo("one");
    }

    @Test
    void valueOlderThanTheMemoryIsRefused() {
        Snapshot old = new Snapshot();
        fleet.advance(ofSeconds(60));

        assertThat(cache.get("k", old.loader())).isEqualTo("one");

        assertThat(fleet.listener().count(EventType.LOAD_FENCED)).isEqualTo(1);
    }

    @Test
    void valueOlderThanTheMemoryIsKeptByNobody() {
        Snapshot old = new Snapshot();
        fleet.advance(ofSeconds(60));
        fleet.origin().write("two");
        fleet.store().refuse();

        assertThat(cache.get("k", old.loader())).isEqualTo("one");

        assertThat(cache.get("k")).isEqualTo("two");
    }

    @Test
    void loaderFailsInACacheWithoutMemory() {
        try (StampedeGuardedCache<String, String> forgetful = fleet.builder("forgetful")
                .policy(POLICY.toBuilder().changeMemory(ofSeconds(0)).build())
                .build()) {
            Snapshot snapshot = new Snapshot();

            assertThatThrownBy(() -> forgetful.get("k", snapshot.loader()))
                    .isInstanceOf(LoadException.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("as of " + snapshot.begin)
                    .hasMessageContaining("changeMemory");
        }
    }

    @Test
    void putTakesNoTime() {
        assertThatThrownBy(() -> cache.put("k", new Snapshot().loaded()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("asOf");
    }

    @Test
    void storeMustBeAbleToRemember() {
        assertThatThrownBy(() -> textCache("c", WithoutNotifications.of(InMemoryStore.create()))
                        .policy(POLICY)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("changeMemory PT1M")
                .hasMessageContaining("ChangeMemory");
    }
}
