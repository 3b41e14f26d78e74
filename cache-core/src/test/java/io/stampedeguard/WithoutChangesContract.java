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
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.OpenGauges;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;

/**
 * While the store answers reads and takes no changes, a process loads each key once per soft TTL, as while the store is down, and
 * notices what others change. The first process meets this, the second does not.
 */
abstract class WithoutChangesContract {
    static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(60)).failureCoolDown(ofSeconds(5)).build();

    final VirtualTime time = new VirtualTime();
    private final InMemoryStore shared = InMemoryStore.create(time);
    final FaultyStore store = FaultyStore.over(shared, time);
    final Origin origin = new Origin("one");
    final RecordingListener listener = new RecordingListener();
    final OpenGauges gauges = new OpenGauges();
    StampedeGuardedCache<String, String> cache;
    StampedeGuardedCache<String, String> other;

    final void open(Tier tier) {
        open(tier, POLICY, "without-changes");
    }

    final void open(Tier tier, CachePolicy policy, String name) {
        StampedeGuardedCacheBuilder<String, String> builder = builder(name, store, policy);
        cache = tier.addTo(builder.listener(listener).listener(gauges)).build();
        other = builder(name, shared, policy).build();
    }

    private StampedeGuardedCacheBuilder<String, String> builder(String name, CacheStore of, CachePolicy policy) {
        return textCache(name, of).policy(policy).loader(origin::read).timeSource(time);
    }

    /** From now on the store takes no changes, and the first process knows. */
    abstract void begin();

    /** From now on the store takes changes, and the first process sends some. */
    abstract void end();

    @AfterEach
    final void closeCaches() {
        origin.open();
        store.heal();
        Fleet.closeAtOnce(cache);
        Fleet.closeAtOnce(other);
    }

    /** Loads the key once, while the store takes no changes; then the row is changed. */
    final void loadOnce(FormOfGet form) throws Throwable {
        begin();
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        origin.write("two");
    }

    @ForEach
    void aKeyIsLoadedOncePerSoftTtl(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
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
    void aChangeByAnotherProcessEndsIt(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        loadOnce(form);

        other.invalidate(KEY);

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
    }

    @ForEach
    void afterwardsTheKeyIsLoadedUnderALeaseAndStored(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        loadOnce(form);
        time.advance(ofSeconds(5));
        form.ask(cache, origin);
        cache.invalidate("queued");

        end();
        time.advance(ofSeconds(2));

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(other.getIfPresent(KEY)).isEqualTo("two");
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
        until(() -> gauges.get(0).queuedChanges() == 0);
    }

    @ForEach
    void aFailingLoaderCoolsDown(FormOfGet form, Tier tier) {
        open(tier);
        begin();
        origin.fail(new IOException("down"));
        assertThatThrownBy(() -> form.ask(cache, origin)).isInstanceOf(LoadException.class);

        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> form.ask(cache, origin)).isInstanceOf(RecentLoadFailureException.class);
            time.advance(ofSeconds(1));
        }

        assertThat(origin.reads()).isEqualTo(1);
    }
}
