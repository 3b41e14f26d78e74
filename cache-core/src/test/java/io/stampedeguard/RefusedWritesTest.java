package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;

/**
 * While the store answers reads and refuses changes, a process loads each key once per soft TTL, as while the store is down, and
 * notices what others change, who can. The first process meets the refusals, the second does not.
 */
final class RefusedWritesTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(60)).failureCoolDown(ofSeconds(5)).build();

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore shared = InMemoryStore.create(time);
    private final FaultyStore store = FaultyStore.over(shared, time);
    private final Origin origin = new Origin("one");
    private final RecordingListener listener = new RecordingListener();
    private final AtomicReference<CacheGauges> gauges = new AtomicReference<>();
    private final Callers callers = new Callers();
    private StampedeGuardedCache<String, String> cache;
    private StampedeGuardedCache<String, String> other;

    private void open(Tier tier, CachePolicy policy) {
        cache = cache(store, tier, policy);
        other = cache(shared, Tier.EMERGENCY_CACHE, policy);
    }

    private StampedeGuardedCache<String, String> cache(CacheStore of, Tier tier, CachePolicy policy) {
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache("refused", of).policy(policy).loader(origin::read).timeSource(time);
        if (of == store) {
            builder.listener(listener).listener(new CacheListener() {
                @Override
                public void onOpen(String name, CacheGauges opened) {
                    gauges.set(opened);
                }
            });
        }
        return tier.addTo(builder).build();
    }

    @AfterEach
    void close() {
        origin.open();
        Thread.currentThread().interrupt(); // no grace period: nothing waits for the clock
        cache.close();
        other.close();
        Thread.interrupted();
        callers.close();
    }

    private String get() {
        return cache.get(KEY, origin::read);
    }

    /** Loads the key once, while changes are refused; then the row is changed. */
    private void loadOnce(FormOfGet form) throws Throwable {
        store.refuseChanges();
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        origin.write("two");
    }

    @ForEach
    void aKeyIsLoadedOncePerSoftTtl(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY);
        loadOnce(form);

        for (int i = 0; i < 19; i++) {
            assertThat(form.ask(cache, origin)).isEqualTo("one");
            time.advance(ofMillis(500));
        }
        time.advance(ofMillis(500).minusNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(origin.reads()).isEqualTo(1);

        time.advance(ofNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        time.advance(ofSeconds(10).minusNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
        assertThat(listener.count(AnswerSource.NEAR_DEGRADED)).isPositive();
    }

    @ForEach
    void theStoreIsAskedForALeaseEveryTwoSecondsOnly(Tier tier) {
        open(tier, POLICY);
        store.refuseChanges();
        get();
        long before = store.requests(Call.LEASE);

        for (int i = 0; i < 39; i++) {
            time.advance(ofMillis(250));
            get();
        }

        assertThat(store.requests(Call.LEASE) - before)
                .as("up to two requests after 2, 4, 6, and 8 s")
                .isBetween(4L, 8L);
    }

    @ForEach
    void aChangeByAnotherProcessEndsIt(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY);
        loadOnce(form);

        other.invalidate(KEY);

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
    }

    @ForEach
    void anEntryThatAppearsInTheStoreReplacesIt(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY);
        loadOnce(form);
        assertThat(other.get(KEY, origin::read)).isEqualTo("two");

        time.advance(ofSeconds(2));

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
    }

    @ForEach
    void afterwardsTheKeyIsLoadedUnderALeaseAndStored(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY);
        loadOnce(form);
        time.advance(ofSeconds(5));
        form.ask(cache, origin);

        store.heal();
        time.advance(ofSeconds(2));

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(other.getIfPresent(KEY)).isEqualTo("two");
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
    }

    @ForEach
    void theLimitForAnOutageIsOneHereToo(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY.toBuilder().maxStalenessWhenDisconnected(ofSeconds(5)).build());
        loadOnce(form);

        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("one");

        time.advance(ofNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
    }

    @ForEach
    void aFailingLoaderCoolsDown(FormOfGet form, Tier tier) {
        open(tier, POLICY);
        store.refuseChanges();
        origin.fail(new IOException("down"));
        assertThatThrownBy(() -> form.ask(cache, origin)).isInstanceOf(LoadException.class);

        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> form.ask(cache, origin)).isInstanceOf(RecentLoadFailureException.class);
            time.advance(ofSeconds(1));
        }

        assertThat(origin.reads()).isEqualTo(1);
    }

    @ForEach
    void afterTheSoftTtlTheValueComesBeforeAnException(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY);
        loadOnce(form);
        origin.fail(new IOException("down"));

        time.advance(ofSeconds(10));

        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(origin.reads()).as("one per cool-down").isEqualTo(2);
    }

    @ForEach
    void anAbsentKeyIsRememberedToo(Tier tier) {
        open(tier, POLICY);
        store.refuseChanges();
        origin.write(null);
        assertThat(get()).isNull();
        time.advance(ofSeconds(5));

        assertThat(get()).isNull();

        assertThat(origin.reads()).isEqualTo(1);
    }

    /** The store gives leases, and takes no entries. */
    @ForEach
    void aRefusedPublicationIsNoReasonForASecondLoad(FormOfGet form) throws Throwable {
        open(Tier.NEAR_CACHE, POLICY);
        store.refuse(Call.PUBLISH);
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        origin.write("two");

        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        time.advance(ofSeconds(5).minusNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(origin.reads()).isEqualTo(1);

        other.invalidate(KEY);
        assertThat(form.ask(cache, origin)).isEqualTo("two");
    }

    /** Without a near cache, the process begins to keep values, and to listen for changes, at the first refused publication. */
    @ForEach
    void withoutANearCacheARefusedPublicationCostsOneMoreLoad(FormOfGet form) throws Throwable {
        open(Tier.EMERGENCY_CACHE, POLICY);
        store.refuse(Call.PUBLISH);
        form.ask(cache, origin);
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        long before = origin.reads();
        assertThat(before).isLessThanOrEqualTo(2);
        origin.write("two");

        for (int i = 0; i < 19; i++) {
            assertThat(form.ask(cache, origin)).isEqualTo("one");
            time.advance(ofMillis(500));
        }
        assertThat(origin.reads()).isEqualTo(before);

        other.invalidate(KEY);
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        time.advance(ofSeconds(9));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).as("once per soft TTL and change").isEqualTo(before + 1);
    }

    @ForEach
    void aQueuedChangeAndThoseOfOthersAfterItEndIt(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY);
        loadOnce(form);

        cache.invalidate(KEY);
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);

        origin.write("three");
        other.invalidate(KEY);
        assertThat(form.ask(cache, origin)).isEqualTo("three");

        store.heal();
        until(() -> {
            time.advance(ofSeconds(1));
            return gauges.get().queuedChanges() == 0;
        });
        assertThat(form.ask(cache, origin)).isEqualTo("three");
    }

    @ForEach
    void callersThatComeDuringTheLoadDoNotLoadInTurn(Tier tier) throws Exception {
        open(tier, POLICY);
        store.refuseChanges();
        CountDownLatch loads = origin.close();
        Callers.Call<String> leader = callers.call(this::get);
        until(() -> origin.running() == 1);
        List<Callers.Call<String>> late = callers.call(8, this::get);
        until(() -> gauges.get().waiting() == 8);

        origin.open();
        loads.countDown();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(Callers.results(late)).containsOnly("one");
        assertThat(origin.reads()).isEqualTo(1);
    }
}
