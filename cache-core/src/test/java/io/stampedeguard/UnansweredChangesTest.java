package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.ForEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** While the store leaves changes unanswered: no caller waits for their answers once the process has found that out. */
final class UnansweredChangesTest extends WithoutChangesContract {
    /** The changes for whose answer a caller waits. */
    private static final Call[] OF_CALLERS = {Call.LEASE, Call.PUBLISH, Call.PUT, Call.INVALIDATE, Call.EXPIRE};

    @AutoClose
    private final CapturedLog log = new CapturedLog();

    private int found;

    private String get(String key) {
        return cache.get(key, each -> "a value");
    }

    /** Lets the process find out that changes have no answer: then none is sent for another key. */
    @Override
    void begin() {
        store.ignoreChanges();
        until(() -> {
            long before = store.requests(Call.LEASE);
            get("found out by " + found++);
            return store.requests(Call.LEASE) == before;
        });
    }

    /** Waits until changes are sent again; at most a second passes for the store. */
    @Override
    void end() {
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
        assertThat(gauges.get(0).queuedChanges()).isEqualTo(3);
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
    void aStaleEntryAnswersAndItsReloadSendsNoRequest(FormOfGet form) throws Throwable {
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
        open(Tier.EMERGENCY_CACHE, POLICY, "pause-log");
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
