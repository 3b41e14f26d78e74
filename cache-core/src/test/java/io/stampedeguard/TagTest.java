package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** {@code invalidateTag} and {@code expireTag} are to the keys whose values have a tag what {@code invalidate} and {@code expire} are to one. */
final class TagTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(100), ofSeconds(200)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    /** The forms in which a value gets its tags from a loader. */
    enum Form {
        GET {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, Origin origin) {
                return cache.get("k", of(origin, "a", "b"));
            }
        },
        GET_ASYNC {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, Origin origin) {
                return cache.getAsync(
                                "k",
                                AsyncLoader.adaptive((key, previous) -> CompletableFuture.completedFuture(
                                        LoadedValue.of(origin.read(key)).tags("a", "b"))))
                        .join();
            }
        },
        GATHERED {
            @Override
            @Nullable
            String ask(StampedeGuardedCache<String, String> cache, Origin origin) {
                return cache.get(
                        "k",
                        AdaptiveLoader.gathering(
                                keys -> {
                                    Map<String, LoadedValue<String>> rows = new HashMap<>();
                                    for (String key : keys) {
                                        rows.put(
                                                key,
                                                LoadedValue.of(origin.read(key)).tags("a", "b"));
                                    }
                                    return rows;
                                },
                                10,
                                Duration.ofMillis(1)));
            }
        };

        abstract @Nullable String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Exception;

        Callers.Call<@Nullable String> askOf(Fleet fleet, int process) {
            return fleet.callers().call(() -> ask(fleet.cache(process), fleet.origin()));
        }
    }

    private static AdaptiveLoader<String, String> of(Origin origin, String... tags) {
        return (key, previous) -> LoadedValue.of(origin.read(key)).tags(tags);
    }

    @ForEach
    void noFormOfGetReturnsWhatWasLoadedBefore(Form form) throws Exception {
        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");
        fleet.origin().write("two");

        fleet.cache(1).invalidateTag("other");
        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");

        fleet.cache(1).invalidateTag("b");
        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("two");
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void whoJoinsDuringALoadFromBeforeGoesRoundAgain(Form form) throws Exception {
        fleet.origin().close();
        Callers.Call<String> leader = form.askOf(fleet, 0);
        until(() -> fleet.origin().running() == 1);
        Callers.Call<String> follower = form.askOf(fleet, 0);
        until(() -> fleet.cache(0).explain("k").waiters() == 1);

        fleet.origin().write("two");
        fleet.cache(1).invalidateTag("a"); // by another process: the flights of this one are not notified
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("two");
        assertThat(fleet.listener().count(EventType.WAIT_RETRY)).isPositive();
    }

    @ForEach
    void whoWaitsInAnotherProcessForALoadFromBeforeLoadsAnew(Form form) throws Exception {
        fleet.origin().close();
        Callers.Call<String> leader = form.askOf(fleet, 0);
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("two");
        fleet.cache(1).invalidateTag("a");
        Callers.Call<String> later = form.askOf(fleet, 1);
        until(() -> fleet.store().count(Call.LEASE) >= 2);

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(later.result()).isEqualTo("two");
        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void loadOfAnotherTagAnswersAll() throws Exception {
        CountDownLatch gate = fleet.origin().close();
        Callers.Call<String> leader = fleet.callers().call(() -> fleet.cache(0).get("k", of(fleet.origin(), "a")));
        until(() -> fleet.origin().running() == 1);
        fleet.cache(1).invalidateTag("b");
        Callers.Call<String> follower =
                fleet.callers().call(() -> fleet.cache(1).get("k", of(fleet.origin(), "a")));
        until(() -> fleet.store().count(Call.LEASE) >= 2);

        gate.countDown();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void resultThatIsNotStoredIsNotShownToWhoeverCameLater() throws Exception {
        AdaptiveLoader<String, String> unstored = (key, previous) ->
                LoadedValue.of(fleet.origin().read(key)).tags("a").doNotCache();
        fleet.origin().close();
        Callers.Call<String> leader = fleet.callers().call(() -> fleet.cache(0).get("k", unstored));
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("two");
        fleet.cache(1).invalidateTag("a");
        Callers.Call<String> later = fleet.callers().call(() -> fleet.cache(1).get("k", unstored));
        until(() -> fleet.store().count(Call.LEASE) >= 2);

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(later.result()).isEqualTo("two");
    }

    @Test
    void expiredOnesAreServedStaleAndReloaded() {
        fleet.cache(0).put("k", LoadedValue.of("old").tags("a"));
        fleet.cache(0).put("other", LoadedValue.of("old").tags("b"));

        fleet.cache(1).expireTag("a");

        assertThat(fleet.cache(0).get("k")).as("stale").isEqualTo("old");
        until(() -> "one".equals(fleet.cache(0).get("k")));
        assertThat(fleet.cache(0).get("other")).isEqualTo("old");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void absenceHasTagsAsWell() {
        fleet.cache(0)
                .put("k", LoadedValue.<String>absent().softTtl(ofSeconds(50)).tags("a"));
        assertThat(fleet.cache(1).lookup("k").state()).isEqualTo(LookupResult.State.ABSENT);

        fleet.cache(0).invalidateTag("a");

        assertThat(fleet.cache(1).lookup("k").state()).isEqualTo(LookupResult.State.NOTHING);
    }

    @Test
    void valueThatIsNotModifiedKeepsItsTagsUnlessItGetsOthers() {
        AdaptiveLoader<String, String> unchanged = (key, previous) -> LoadedValue.notModified();
        AdaptiveLoader<String, String> moved =
                (key, previous) -> LoadedValue.<String>notModified().tags("b");
        fleet.cache(0).put("k", LoadedValue.of("row").tags("a"));
        fleet.cache(0).refresh("k", unchanged).join();
        fleet.cache(0).invalidateTag("b");
        assertThat(fleet.cache(1).getIfPresent("k")).isEqualTo("row");

        fleet.cache(0).refresh("k", moved).join();
        fleet.cache(0).invalidateTag("a");
        assertThat(fleet.cache(1).getIfPresent("k")).isEqualTo("row");
        fleet.cache(0).invalidateTag("b");
        assertThat(fleet.cache(1).getIfPresent("k")).isNull();
    }

    @Test
    void valueFromBeforeDoesNotComeBackAsNotModified() {
        fleet.cache(0).put("k", LoadedValue.of("old").tags("a"));

        fleet.cache(0).invalidateTag("a");

        assertThat(fleet.cache(0).get("k", (AdaptiveLoader<String, String>)
                        (key, previous) -> previous == null ? LoadedValue.of("new") : LoadedValue.notModified()))
                .isEqualTo("new");
    }

    @ForEach
    void nearCachesFollow(boolean removes) {
        try (Fleet near = Fleet.near(2, POLICY)) {
            for (int process = 0; process < 2; process++) {
                near.cache(process).get("k", of(near.origin(), "a"));
                near.cache(process).get("k", of(near.origin(), "a"));
            }
            near.origin().write("two");

            if (removes) {
                near.cache(0).invalidateTag("a");
            } else {
                near.cache(0).expireTag("a");
            }

            until(() -> "two".equals(near.cache(0).get("k", of(near.origin(), "a"))));
            until(() -> "two".equals(near.cache(1).get("k", of(near.origin(), "a"))));
        }
    }

    @ForEach
    void noGetReturnsWhatWasLoadedBeforeAQueuedOne(Form form) throws Exception {
        form.ask(fleet.cache(0), fleet.origin());
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");
        fleet.cache(0).invalidateTag("a");

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("two");

        fleet.store().heal();
        until(() -> {
            try {
                return "two".equals(form.ask(fleet.cache(1), fleet.origin()));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void refusedOneThrowsIfThePolicySaysSoAndIsQueued() {
        CachePolicy policy =
                POLICY.toBuilder().onStoreFailure(StoreFailureMode.THROW).build();
        try (Fleet throwing = new Fleet(1, policy)) {
            throwing.cache(0).put("k", LoadedValue.of("old").tags("a"));
            throwing.store().refuse(Call.INVALIDATE);

            assertThatThrownBy(() -> throwing.cache(0).invalidateTag("a"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("queued");

            throwing.store().heal();
            assertThat(throwing.cache(0).getIfPresent("k")).isNull();
        }
    }

    @Test
    void queuedPutWithTheTagIsRemovedAndOthersStay() {
        fleet.store().refuse();
        fleet.cache(0).put("k", LoadedValue.of("put").tags("a"));
        fleet.cache(0).put("other", LoadedValue.of("put").tags("b"));

        fleet.cache(0).invalidateTag("a");

        assertThat(fleet.cache(0).getIfPresent("k")).isNull();
        assertThat(fleet.cache(0).getIfPresent("other")).isEqualTo("put");
    }

    @Test
    void putWithATagBoundToAnEarlierLookUpIsRefused() {
        LookupResult.Fence ofNothing = fleet.cache(1).lookup("nothing").fence();
        fleet.cache(0).put("k", LoadedValue.of("row").tags("a"));
        LookupResult.Fence ofValue = fleet.cache(1).lookup("k").fence();

        fleet.cache(0).invalidateTag("a");

        assertThat(fleet.cache(1).put("nothing", LoadedValue.of("late").tags("a"), ofNothing))
                .isFalse();
        assertThat(fleet.cache(1).put("k", LoadedValue.of("late").tags("a"), ofValue))
                .isFalse();
        LookupResult.Fence later = fleet.cache(1).lookup("other").fence();
        assertThat(fleet.cache(1).put("other", LoadedValue.of("new").tags("a"), later))
                .isTrue();
        assertThat(fleet.cache(0).getIfPresent("other")).isEqualTo("new");
    }

    @Test
    void valueAsOfATimeBeforeItAnswersItsOwnCallerOnly() {
        CachePolicy remembering = POLICY.toBuilder().changeMemory(ofSeconds(60)).build();
        try (Fleet snapshots = new Fleet(1, remembering)) {
            Instant begin = Instant.ofEpochMilli(snapshots.time().wallMillis());
            snapshots.advance(ofSeconds(1));
            snapshots.cache(0).invalidateTag("a");
            snapshots.advance(ofSeconds(1));
            AdaptiveLoader<String, String> tagged =
                    (key, previous) -> LoadedValue.of("old").tags("a").asOf(begin);
            AdaptiveLoader<String, String> other =
                    (key, previous) -> LoadedValue.of("row").tags("b").asOf(begin);

            assertThat(snapshots.cache(0).get("k", tagged)).isEqualTo("old");
            assertThat(snapshots.cache(0).getIfPresent("k")).isNull();
            assertThat(snapshots.cache(0).get("k", other)).isEqualTo("row");
            assertThat(snapshots.cache(0).getIfPresent("k")).isEqualTo("row");
        }
    }

    @Test
    void asynchronousFormsDoTheSame() {
        fleet.cache(0).put("k", LoadedValue.of("old").tags("a"));
        fleet.cache(0).expireTagAsync("a").join();
        assertThat(fleet.cache(1).getIfPresent("k")).isEqualTo("old");

        fleet.cache(0).invalidateTagAsync("a").join();
        assertThat(fleet.cache(1).getIfPresent("k")).isNull();
    }

    @Test
    void underAPolicyThatNeverServesStaleValuesExpiryIsRemoval() {
        CachePolicy strict = CachePolicy.builder()
                .softTtl(ofSeconds(100))
                .hardTtl(ofSeconds(100))
                .build();
        try (Fleet never = new Fleet(1, strict)) {
            never.cache(0).put("k", LoadedValue.of("old").tags("a"));

            never.cache(0).expireTag("a");

            assertThat(never.cache(0).getIfPresent("k")).isNull();
        }
    }

    @Test
    void tagsOutsideTheirLimitsAreRefusedWithWords() {
        LoadedValue<String> value = LoadedValue.of("row");
        String[] many = new String[17];
        for (int i = 0; i < many.length; i++) {
            many[i] = "t" + i;
        }

        assertThat(value.tags("a", "b", "a").tags()).containsExactly("a", "b");
        assertThat(value.tags("a").tags("b").tags()).containsExactly("b");
        assertThat(value.tags("ü".repeat(32)).tags()).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> value.tags(many))
                .withMessage("17 tags, but a value can have at most 16, the first: 't0'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> value.tags("ok", "ü".repeat(32) + "x"))
                .withMessageContaining("65 bytes of UTF-8, but must have 1 to 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> value.tags(""))
                .withMessage("tag '' has 0 bytes of UTF-8, but must have 1 to 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> value.tags("\ud834"))
                .withMessageContaining("half of a surrogate pair");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fleet.cache(0).invalidateTag("x".repeat(65)))
                .withMessageContaining("65 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fleet.cache(0).expireTag(""))
                .withMessageContaining("0 bytes");
        assertThat(List.of(value.tags("a").toString(), value.toString()))
                .containsExactly(
                        "LoadedValue[a value, softTtl=null, hardTtl=null, tags=1]",
                        "LoadedValue[a value, softTtl=null, hardTtl=null]");
    }

    @Test
    void closedCacheChangesNothing() {
        StampedeGuardedCache<String, String> closed = fleet.builder("closed").build();
        closed.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> closed.invalidateTag("a"))
                .withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> closed.expireTag("a"))
                .withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> closed.invalidateTagAsync("a"))
                .withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> closed.expireTagAsync("a"))
                .withMessageContaining("closed");
    }
}
