package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.ForEach;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** While the store refuses changes. */
final class RefusedWritesTest extends WithoutChangesContract {
    @AutoClose
    private final Callers callers = new Callers();

    @Override
    void begin() {
        store.refuseChanges();
    }

    @Override
    void end() {
        store.heal();
    }

    private String get() {
        return cache.get(KEY, origin::read);
    }

    @ForEach
    void theStoreIsAskedForALeaseEveryTwoSecondsOnly(Tier tier) {
        open(tier);
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
    void anEntryThatAppearsInTheStoreReplacesIt(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        loadOnce(form);
        assertThat(other.get(KEY, origin::read)).isEqualTo("two");

        time.advance(ofSeconds(2));

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
    }

    @ForEach
    void theLimitForAnOutageIsOneHereToo(FormOfGet form, Tier tier) throws Throwable {
        open(tier, POLICY.toBuilder().maxStalenessWhenDisconnected(ofSeconds(5)).build(), "limited");
        loadOnce(form);

        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("one");

        time.advance(ofNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
    }

    @ForEach
    void afterTheSoftTtlTheValueComesBeforeAnException(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        loadOnce(form);
        origin.fail(new IOException("down"));

        time.advance(ofSeconds(10));

        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(origin.reads()).as("one per cool-down").isEqualTo(2);
    }

    @ForEach
    void anAbsentKeyIsRememberedToo(Tier tier) {
        open(tier);
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
        open(Tier.NEAR_CACHE);
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
        open(Tier.EMERGENCY_CACHE);
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
        open(tier);
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
            return gauges.get(0).queuedChanges() == 0;
        });
        assertThat(form.ask(cache, origin)).isEqualTo("three");
    }

    @Test
    void loadWhoseLeaseWasLostEndsNoCoolDownThatBeganSince() throws Exception {
        open(Tier.EMERGENCY_CACHE);
        CountDownLatch loads = origin.close();
        Callers.Call<String> first = callers.call(this::get);
        until(() -> origin.running() == 1);
        cache.invalidate(KEY);
        store.refuse(Call.RELEASE); // so that only this process knows of the cool-down
        Loader<String, String> failing = key -> {
            throw new IOException("down");
        };
        assertThatThrownBy(() -> cache.get(KEY, failing)).isInstanceOf(LoadException.class);
        other.invalidate(KEY);

        origin.open();
        loads.countDown();
        assertThat(first.result()).isEqualTo("one");
        until(() -> listener.count(EventType.LOAD_FENCED) == 1);

        assertThatThrownBy(this::get).isInstanceOf(RecentLoadFailureException.class);
    }

    @ForEach
    void callersThatComeDuringTheLoadDoNotLoadInTurn(Tier tier) throws Exception {
        open(tier);
        store.refuseChanges();
        CountDownLatch loads = origin.close();
        Callers.Call<String> leader = callers.call(this::get);
        until(() -> origin.running() == 1);
        List<Callers.Call<String>> late = callers.call(8, this::get);
        until(() -> gauges.get(0).waiting() == 8);

        origin.open();
        loads.countDown();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(Callers.results(late)).containsOnly("one");
        assertThat(origin.reads()).isEqualTo(1);
    }
}
