package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ProxiedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** {@code invalidateAll} and {@code expireAll} are to each key what {@code invalidate} and {@code expire} are to one. */
final class ClearTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(100), ofSeconds(200)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    @ForEach
    void noFormOfGetReturnsWhatWasLoadedBefore(FormOfGet form) throws Throwable {
        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");
        fleet.origin().write("two");

        fleet.cache(1).invalidateAll();

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("two");
        assertThat(form.ask(fleet.cache(1), fleet.origin())).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void whoJoinsDuringALoadFromBeforeGoesRoundAgain(FormOfGet form) throws Exception {
        Callers.Call<String> leader = form.loadingOf(fleet, 0);
        Callers.Call<String> follower = form.askOf(fleet, 0);
        until(() -> fleet.cache(0).explain("k").waiters() == 1);

        fleet.origin().write("two");
        fleet.cache(1).invalidateAll(); // by another process: the flights of this one are not notified
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(follower.result()).isEqualTo("two");
        assertThat(fleet.listener().count(EventType.WAIT_RETRY)).isPositive();
    }

    @ForEach
    void callerAfterAnOwnClearJoinsNoOldFlight(FormOfGet form) throws Exception {
        CountDownLatch oldGate = fleet.origin().close();
        Callers.Call<String> old = form.askOf(fleet, 0);
        until(() -> fleet.origin().running() == 1);

        fleet.origin().write("two");
        fleet.cache(0).invalidateAll();
        fleet.origin().close().countDown();

        assertThat(fleet.cache(0).get("k")).isEqualTo("two");
        oldGate.countDown();
        assertThat(old.result()).isEqualTo("one");
        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
    }

    @Test
    void reloadsFromBeforeAreNotStored() {
        fleet.cache(0).put("k", "old");
        fleet.cache(0).expireAll();
        fleet.origin().close();
        assertThat(fleet.cache(0).get("k")).as("stale").isEqualTo("old");
        until(() -> fleet.origin().running() == 1);

        fleet.origin().write("two");
        fleet.cache(1).expireAll();
        fleet.origin().open();
        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);

        until(() -> "two".equals(fleet.cache(1).get("k")));
    }

    @ForEach
    void putBoundToALookUpFromBeforeIsRefused(boolean removes) {
        LookupResult.Fence ofNothing = fleet.cache(1).lookup("nothing").fence();
        fleet.cache(1).put("k", "row");
        LookupResult.Fence ofValue = fleet.cache(1).lookup("k").fence();

        if (removes) {
            fleet.cache(0).invalidateAll();
        } else {
            fleet.cache(0).expireAll();
        }

        assertThat(fleet.cache(1).put("nothing", "late", ofNothing)).isFalse();
        assertThat(fleet.cache(1).put("k", "late", ofValue)).isFalse();
        assertThat(fleet.cache(1)
                        .put("nothing", "new", fleet.cache(1).lookup("nothing").fence()))
                .isTrue();
        assertThat(fleet.cache(0).getIfPresent("nothing")).isEqualTo("new");
        assertThat(fleet.cache(1)
                        .put(
                                "nothing",
                                "newer",
                                fleet.cache(1).lookup("nothing").fence()))
                .isTrue();
    }

    /** As on a cluster, where a change of all entries is nothing that the entry or the fence shows, and some learn of it later. */
    @Test
    void putBoundToALookUpFromBeforeIsRefusedOrVoid() {
        SharedStore store = InMemoryStore.create();
        Marks known = new Marks();
        try (StampedeGuardedCache<String, String> knows = cache(store, known);
                StampedeGuardedCache<String, String> later = cache(store, new Marks())) {
            knows.put("k", "row");
            LookupResult.Fence ofNothing = knows.lookup("nothing").fence();
            LookupResult.Fence ofValue = knows.lookup("k").fence();
            LookupResult.Fence ofCopy = knows.lookup("k").fence();
            LookupResult.Fence ofLater = later.lookup("k").fence();

            known.learn(new Marks.Known(5, 5, 0));

            assertThat(knows.put("nothing", "late", ofNothing)).isFalse();
            assertThat(knows.put("k", "late", ofValue)).isFalse();
            assertThat(knows.put("k", "late", ofCopy)).isFalse();
            later.put("k", "late", ofLater);
            assertThat(knows.getIfPresent("k")).isNull();
            assertThat(knows.put("nothing", "new", knows.lookup("nothing").fence()))
                    .isTrue();
            assertThat(knows.getIfPresent("nothing")).isEqualTo("new");
            assertThat(knows.put("nothing", "newer", knows.lookup("nothing").fence()))
                    .isTrue();
        }
    }

    private static StampedeGuardedCache<String, String> cache(SharedStore store, Marks marks) {
        SharedStore marking = ProxiedStore.of(
                (method, arguments) -> method.getName().equals("ability") && arguments[0] == Marks.Keeper.class
                        ? (Marks.Keeper) cache -> marks
                        : pass(store, method, arguments));
        return textCache("marked", marking)
                .policy(POLICY)
                .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                .build();
    }

    @Test
    void otherCachesOfTheStoreKeepTheirEntries() {
        try (StampedeGuardedCache<String, String> other = fleet.builder("other").build()) {
            other.put("k", "other's");
            fleet.cache(0).put("k", "one");

            fleet.cache(0).invalidateAll();

            assertThat(other.getIfPresent("k")).isEqualTo("other's");
            assertThat(fleet.cache(0).getIfPresent("k")).isNull();
        }
    }

    @Test
    void asynchronousFormsDoTheSame() {
        fleet.cache(0).put("k", "old");
        fleet.cache(0).expireAllAsync().join();
        assertThat(fleet.listener().count(AnswerSource.STALE)).isZero();
        assertThat(fleet.cache(1).getIfPresent("k")).isEqualTo("old");
        assertThat(fleet.listener().count(AnswerSource.STALE)).isEqualTo(1);

        fleet.cache(0).invalidateAllAsync().join();
        assertThat(fleet.cache(1).getIfPresent("k")).isNull();
    }

    @Test
    void underAPolicyThatNeverServesStaleValuesExpiryIsRemoval() {
        CachePolicy strict = CachePolicy.builder()
                .softTtl(ofSeconds(100))
                .hardTtl(ofSeconds(100))
                .build();
        try (Fleet never = new Fleet(1, strict)) {
            never.cache(0).put("k", "old");

            never.cache(0).expireAll();

            assertThat(never.cache(0).getIfPresent("k")).isNull();
        }
    }

    @ForEach
    void nearCachesFollow(boolean removes) {
        try (Fleet near = Fleet.near(2, POLICY)) {
            for (int process = 0; process < 2; process++) {
                near.cache(process).get("k");
                near.cache(process).get("k");
            }
            near.origin().write("two");

            if (removes) {
                near.cache(0).invalidateAll();
            } else {
                near.cache(0).expireAll();
            }

            until(() -> "two".equals(near.cache(0).get("k")));
            until(() -> "two".equals(near.cache(1).get("k")));
        }
    }

    @ForEach
    void noGetReturnsWhatWasLoadedBeforeAQueuedOne(FormOfGet form) throws Throwable {
        form.ask(fleet.cache(0), fleet.origin());
        fleet.store().refuse(Call.INVALIDATE);
        fleet.origin().write("two");
        fleet.cache(0).invalidateAll();

        assertThat(form.ask(fleet.cache(0), fleet.origin()))
                .as("the store would still return the old value")
                .isEqualTo("two");

        fleet.store().heal();
        until(() -> "two".equals(fleet.cache(0).get("k")));
        assertThat(fleet.cache(1).get("k")).isEqualTo("two");
    }

    @Test
    void valueOfAQueuedPutFromBeforeAnswersNobody() {
        fleet.store().refuse();
        fleet.cache(0).put("k", "put");
        assertThat(fleet.cache(0).getIfPresent("k")).isEqualTo("put");
        fleet.cache(0).put("stale", "put");

        fleet.cache(0).invalidateAll();
        assertThat(fleet.cache(0).getIfPresent("k")).isNull();
        fleet.cache(0).put("later", "put");
        assertThat(fleet.cache(0).getIfPresent("later")).isEqualTo("put");

        fleet.store().heal();
        until(() -> "one".equals(fleet.cache(0).get("k")));
    }

    @ForEach
    void putBegunBeforeAndQueuedAfterAnswersNobody(boolean removes) {
        CountDownLatch changed = new CountDownLatch(1);
        fleet.store().refuse().before(Call.PUT, () -> {
            if (removes) {
                fleet.cache(0).invalidateAll();
            } else {
                fleet.cache(0).expireAll();
            }
            changed.countDown();
        });

        fleet.cache(0).put("k", "put");

        assertThat(changed.getCount()).isZero();
        assertThat(fleet.cache(0).get("k")).isEqualTo("one");
    }

    @Test
    void refusedOneThrowsIfThePolicySaysSoAndIsQueued() {
        CachePolicy policy =
                POLICY.toBuilder().onStoreFailure(StoreFailureMode.THROW).build();
        try (Fleet throwing = new Fleet(1, policy)) {
            throwing.cache(0).put("k", "old");
            throwing.store().refuse(Call.INVALIDATE);

            assertThatThrownBy(throwing.cache(0)::invalidateAll)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("queued");

            throwing.store().heal();
            assertThat(throwing.cache(0).getIfPresent("k")).isNull();
        }
    }

    @Test
    void closedCacheChangesNothing() {
        StampedeGuardedCache<String, String> closed = fleet.builder("closed").build();
        closed.close();

        assertThatIllegalStateException().isThrownBy(closed::invalidateAll).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(closed::expireAll).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(closed::invalidateAllAsync).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(closed::expireAllAsync).withMessageContaining("closed");
        assertThat(fleet.store().count(Call.INVALIDATE)).isZero();
    }
}
