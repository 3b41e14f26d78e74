package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.Policies.exact;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * While the store answers reads and leaves changes unanswered, no caller waits for the answer to a change once the process has found
 * that out: it is as if the store refused them. The first process meets this, the second does not.
 */
final class UnansweredChangesTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(60)).failureCoolDown(ofSeconds(5)).build();
    /** The changes for whose answer a caller waits. */
    private static final Call[] OF_CALLERS = {Call.LEASE, Call.PUBLISH, Call.PUT, Call.INVALIDATE, Call.EXPIRE};

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore shared = InMemoryStore.create(time);
    private final FaultyStore store = FaultyStore.over(shared, time);
    private final Origin origin = new Origin("one");
    private final RecordingListener listener = new RecordingListener();
    private final AtomicReference<CacheGauges> gauges = new AtomicReference<>();
    private final CapturedLog log = new CapturedLog();
    private StampedeGuardedCache<String, String> cache;
    private StampedeGuardedCache<String, String> other;
    private int found;

    private void open(Tier tier) {
        open(tier, "unanswered-changes");
    }

    private void open(Tier tier, String name) {
        cache = cache(name, store, tier);
        other = cache(name, shared, Tier.EMERGENCY_CACHE);
    }

    private StampedeGuardedCache<String, String> cache(String name, CacheStore of, Tier tier) {
        StampedeGuardedCacheBuilder<String, String> builder =
                textCache(name, of).policy(POLICY).loader(origin::read).timeSource(time);
        if (of == store) {
            builder.listener(listener).listener(new CacheListener() {
                @Override
                public void onOpen(String opened, CacheGauges of) {
                    gauges.set(of);
                }
            });
        }
        return tier.addTo(builder).build();
    }

    @AfterEach
    void close() {
        origin.open();
        store.heal();
        Thread.currentThread().interrupt(); // no grace period: nothing waits for the clock
        cache.close();
        other.close();
        Thread.interrupted();
        log.close();
    }

    private String get(String key) {
        return cache.get(key, each -> "a value");
    }

    /** Lets the process find out that changes have no answer: then none is sent for another key. */
    private void begin() {
        store.ignoreChanges();
        until(() -> {
            long before = store.requests(Call.LEASE);
            get("found out by " + found++);
            return store.requests(Call.LEASE) == before;
        });
    }

    /** Waits until changes are sent again; at most a second passes for the store. */
    private void end() {
        store.heal();
        until(() -> {
            time.advance(ofMillis(100));
            long before = store.requests(Call.INVALIDATE);
            cache.invalidate("ended");
            return store.requests(Call.INVALIDATE) > before;
        });
    }

    @ForEach
    void noChangeIsSentOnceThatIsKnown(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        begin();
        long before = store.requests(OF_CALLERS);

        assertThat(form.ask(cache, origin)).isEqualTo("one");
        cache.put("p", "v");
        cache.invalidate("i");
        cache.expire("e");
        assertThat(cache.get("p", origin::read)).isEqualTo("v");

        assertThat(store.requests(OF_CALLERS)).isEqualTo(before);
        assertThat(listener.count(EventType.UNLEASED_REFUSED)).isPositive();
        assertThat(gauges.get().queuedChanges()).isEqualTo(3);
    }

    @ForEach
    void aKeyIsLoadedOncePerSoftTtl(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        begin();
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        origin.write("two");

        for (int i = 0; i < 19; i++) {
            assertThat(form.ask(cache, origin)).isEqualTo("one");
            time.advance(ofMillis(500));
        }
        time.advance(ofMillis(500).minusNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        assertThat(origin.reads()).isEqualTo(1);

        time.advance(ofNanos(1));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
        assertThat(listener.count(AnswerSource.NEAR_DEGRADED)).isPositive();
    }

    @Test
    void aProbeIsSentOnceOrTwiceASecond() {
        open(Tier.EMERGENCY_CACHE);
        begin();
        long before = store.requests(OF_CALLERS);
        long probesBefore = store.requests(Call.RELEASE);

        for (int i = 0; i < 100; i++) {
            time.advance(ofMillis(100));
            get("k" + i);
        }

        assertThat(store.requests(OF_CALLERS)).isEqualTo(before);
        assertThat(store.requests(Call.RELEASE) - probesBefore)
                .as("besides one of a lease that was requested before")
                .isLessThanOrEqualTo(21);
    }

    @ForEach
    void whatTheStoreHasIsAnswered(FormOfGet form) throws Throwable {
        open(Tier.EMERGENCY_CACHE);
        other.put(KEY, "stored");
        begin();

        for (int i = 0; i < 9; i++) {
            assertThat(form.ask(cache, origin)).isEqualTo("stored");
            time.advance(ofSeconds(1));
        }

        assertThat(origin.reads()).isZero();
    }

    @ForEach
    void aStaleEntryIsAnsweredAndNoRequestForItsReloadIsSent(FormOfGet form) throws Throwable {
        open(Tier.EMERGENCY_CACHE);
        other.put(KEY, "stored");
        time.advance(ofSeconds(11));
        begin();
        long before = store.requests(Call.LEASE);
        long unavailable = listener.count(EventType.LEASE_UNAVAILABLE);

        assertThat(form.ask(cache, origin)).isEqualTo("stored");

        until(() -> listener.count(EventType.LEASE_UNAVAILABLE) > unavailable);
        assertThat(store.requests(Call.LEASE)).isEqualTo(before);
    }

    @ForEach
    void aChangeByAnotherProcessEndsAKeptValue(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        begin();
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        origin.write("two");

        other.invalidate(KEY);

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        time.advance(ofSeconds(5));
        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(origin.reads()).isEqualTo(2);
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

    @ForEach
    void afterwardsTheKeyIsLoadedUnderALeaseAndStored(FormOfGet form, Tier tier) throws Throwable {
        open(tier);
        begin();
        assertThat(form.ask(cache, origin)).isEqualTo("one");
        origin.write("two");
        cache.invalidate("queued");

        end();
        time.advance(ofSeconds(2));

        assertThat(form.ask(cache, origin)).isEqualTo("two");
        assertThat(other.getIfPresent(KEY)).isEqualTo("two");
        until(() -> gauges.get().queuedChanges() == 0);
    }

    @Test
    void queuedChangesReachOthersAfterwards() {
        open(Tier.EMERGENCY_CACHE);
        other.put("k", "old");
        begin();

        cache.put("k", "new");
        assertThat(get("k")).as("here, at once").isEqualTo("new");
        end();

        until(() -> other.getIfPresent("k") == null);
    }

    @Test
    void aClosingCacheSendsItsChangesOnceMore() {
        open(Tier.EMERGENCY_CACHE);
        other.put("k", "old");
        begin();
        cache.invalidate("k");

        store.heal();
        cache.close();

        assertThat(other.getIfPresent("k")).isNull();
    }

    @Test
    void oneLostAnswerIsNoReasonToSendNoMore() {
        open(Tier.EMERGENCY_CACHE);
        store.ignore(Call.LEASE);
        get("a");
        get("b");
        time.advance(ofSeconds(1));
        store.heal();
        long before = store.requests(Call.LEASE);

        for (int i = 0; i < 10; i++) {
            get("k" + i);
        }

        assertThat(store.requests(Call.LEASE) - before)
                .as("releases are answered")
                .isEqualTo(10);
        assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(10);
    }

    @Test
    void afterAnOutageLeasesAreRequestedAtOnce() {
        open(Tier.EMERGENCY_CACHE);
        store.beginOutage();
        for (int i = 0; i < 10; i++) {
            get("k" + i);
            cache.invalidate("i" + i);
        }

        store.endOutage();

        get("k");
        assertThat(other.getIfPresent("k")).isEqualTo("a value");
    }

    /** A master that has become a replica, for instance: then each change is refused by the store itself. */
    @Test
    void aRefusalIsAnAnswer() {
        open(Tier.EMERGENCY_CACHE);
        begin();
        store.heal().refuseChanges();

        until(() -> {
            time.advance(ofMillis(100));
            long before = store.requests(Call.INVALIDATE);
            cache.invalidate("refused");
            return store.requests(Call.INVALIDATE) > before;
        });
    }

    @Test
    void theLogSaysOnceWhatCallersGet() {
        open(Tier.EMERGENCY_CACHE, "pause-log");
        begin();
        until(() -> begins() > 0); // logged after changes are no longer sent
        for (int i = 0; i < 10; i++) {
            get("k" + i);
            time.advance(ofSeconds(1));
        }

        assertThat(begins()).isEqualTo(1);

        until(() -> {
            end();
            time.advance(ofMinutes(2));
            begin();
            return begins() > 1;
        });
    }

    private long begins() {
        return log.warningsOf("pause-log").stream()
                .filter(line -> line.contains("the store answers reads, and leaves changes unanswered")
                        && line.contains("changes are queued"))
                .count();
    }
}
