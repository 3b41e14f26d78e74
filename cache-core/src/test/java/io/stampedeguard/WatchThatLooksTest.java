package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * A store that looks who holds the lease once it is watched spares the waiting process its second request. The clock stands
 * still: nothing polls.
 */
final class WatchThatLooksTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().waitTimeout(ofSeconds(1)).poll(ofMillis(10)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final AtomicReference<Callers.Call<String>> late = new AtomicReference<>();

    @Test
    void whoSeesThatTheHolderHasNotChangedAsksNoMore() throws Exception {
        fleet.store().lookAtWatched(listener -> true);
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(waits.result()).isEqualTo("one");
        assertThat(fleet.listener().count(EventType.LEASE_HELD)).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(2);
    }

    @Test
    void callerThatSeesTheHolderLateWaitsLikeAListener() throws Exception {
        AtomicReference<Listener> listening = new AtomicReference<>();
        fleet.store().lookAtWatched(listener -> {
            listening.set(listener);
            return false;
        });
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(1);
        int asked = fleet.store().count(Call.LEASE);

        listening.get().listening(elsewhere);
        fleet.advance(POLICY.poll());
        fleet.time().awaitWaiting(1);
        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(asked);

        fleet.advance(POLICY.maxPollInterval());
        until(() -> fleet.store().count(Call.LEASE) == asked + 1);
        on(fleet.store()).abandon("fleet:k", elsewhere);
        assertThat(waits.result()).isEqualTo("one");
    }

    @Test
    void whoJoinedBeforeTheWatchIsAnsweredByTheMessageToo() throws Exception {
        fleet.store().lookAtWatched(listener -> true);
        Callers.Call<String> leader = fleet.loading(0, "k");
        fleet.store().after(Call.LEASE, this::joins);
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(2);
        int read = fleet.store().count(Call.READ);
        fleet.origin().open();

        leader.result();
        assertThat(waits.result()).isEqualTo("one");
        assertThat(late.get().result()).isEqualTo("one");
        assertThat(fleet.store().count(Call.READ)).isEqualTo(read);
    }

    private void joins() {
        late.set(fleet.get(1, "k"));
        until(() -> fleet.time().waiting() == 1);
    }

    @Test
    void whoSeesThatNobodyHoldsTheLeaseAnyMoreAsksAgain() throws Exception {
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        fleet.store()
                .after(Call.LEASE, () -> on(fleet.store()).abandon("fleet:k", elsewhere))
                .lookAtWatched(listener -> true);

        assertThat(fleet.get(1, "k").result()).isEqualTo("one");
        assertThat(fleet.time().monotonicNanos()).isZero();
    }

    @Test
    void callerThatSeesAnotherHolderAsksAgainAndIsNotified() throws Exception {
        LeaseToken elsewhere = LeaseToken.next();
        on(fleet.store()).lease("fleet:k", elsewhere, null, ofSeconds(2));
        AtomicReference<Callers.Call<String>> leader = new AtomicReference<>();
        fleet.store()
                .after(Call.LEASE, () -> {
                    on(fleet.store()).abandon("fleet:k", elsewhere);
                    leader.set(fleet.loading(0, "k"));
                })
                .lookAtWatched(listener -> true);
        Callers.Call<String> waits = fleet.get(1, "k");
        until(() -> fleet.listener().count(EventType.LEASE_HELD) == 2);
        fleet.time().awaitWaiting(1);
        fleet.origin().open();

        assertThat(waits.result()).isEqualTo("one");
        assertThat(leader.get().result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void callersAfterAnInvalidationIgnoreMessagesFromBeforeTheLook() throws Exception {
        fleet.loading(0, "k");
        AtomicReference<byte[]> published = new AtomicReference<>();
        fleet.store()
                .after(Call.LEASE, () -> {
                    fleet.origin().open();
                    until(() -> fleet.store().done(Call.PUBLISH) == 1);
                    published.set(on(fleet.store()).read("fleet:k"));
                    fleet.origin().write("two");
                    fleet.cache(0).invalidate("k");
                    joins();
                })
                .lookAtWatched(listener -> {
                    listener.onNotice(new Notice.Published(LeaseToken.startOf(published.get()), published.get()));
                    return true;
                });

        fleet.get(1, "k").result();

        assertThat(late.get().result()).isEqualTo("two");
    }

    @Test
    void callersAfterAnInvalidationIgnoreMessagesSinceAnUnansweredRequest() throws Exception {
        AtomicReference<Listener> listening = new AtomicReference<>();
        fleet.store().lookAtWatched(listener -> {
            listening.set(listener);
            return true;
        });
        Callers.Call<String> leader = fleet.loading(0, "k");
        Callers.Call<String> waits = fleet.get(1, "k");
        fleet.time().awaitWaiting(1);
        fleet.store().loseNotices();
        fleet.origin().open();
        leader.result();
        byte[] published = on(fleet.store()).read("fleet:k");
        fleet.origin().write("two");
        fleet.cache(0).invalidate("k");
        late.set(fleet.get(1, "k"));
        fleet.time().awaitWaiting(2);

        fleet.store().refuse(Call.LEASE);
        int asked = fleet.store().count(Call.LEASE);
        fleet.advance(POLICY.maxPollInterval());
        until(() -> fleet.store().count(Call.LEASE) > asked);
        fleet.time().awaitWaiting(2);
        listening.get().onNotice(new Notice.Published(LeaseToken.startOf(published), published));
        until(() -> fleet.store().count(Call.LEASE) > asked + 1);
        fleet.time().awaitWaiting(2);
        fleet.store().heal();
        fleet.advance(POLICY.maxPollInterval());

        assertThat(late.get().result()).isEqualTo("two");
        assertThat(waits.result()).isEqualTo("two");
    }
}
