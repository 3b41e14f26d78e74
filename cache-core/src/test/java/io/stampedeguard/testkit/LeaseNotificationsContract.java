package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every shared store must do that notifies waiting processes, as a {@link LeaseNotifications}. */
public abstract class LeaseNotificationsContract extends ManyKeysContract {
    private final List<Watch> watches = new ArrayList<>();

    @AfterEach
    void closeWatches() {
        watches.forEach(Watch::close);
    }

    /** Records its notifications. */
    protected static final class Ear implements LeaseNotifications.Listener {
        private final AtomicInteger listening = new AtomicInteger();
        private final List<Notice> heard = new CopyOnWriteArrayList<>();

        @Override
        public void listening() {
            listening.incrementAndGet();
        }

        @Override
        public void onNotice(Notice notice) {
            heard.add(notice);
        }

        /** Returns how often a subscription was confirmed. */
        public int listenings() {
            return listening.get();
        }

        /** Returns the notifications, in order. */
        public List<Notice> notices() {
            return heard;
        }
    }

    /** Watches a key; returns when no notification is missed any more. */
    protected Ear listening(String to) {
        Ear ear = new Ear();
        watches.add(notifications(store).watch(to, ear));
        Fleet.until(() -> ear.listenings() > 0);
        return ear;
    }

    /** Takes the lease, and asks for it as another process would that then waits for its end. */
    private LeaseToken waitedFor(String leased, @Nullable LeaseToken seen) {
        LeaseToken token = granted(leased, seen, LONG);
        assertThat(on(store).lease(leased, LeaseToken.next(), seen, LONG)).isInstanceOf(LeaseAttempt.Held.class);
        return token;
    }

    @Test
    void resultThatIsNotStoredIsToldByteForByte() {
        Ear ear = listening(key);
        LeaseToken token = granted(null, LONG);
        byte[] entry = entry(token, 100);

        on(store).pass(key, token, new LeaseEnd.Pass(entry, LONG, true, List.of()));

        Notice.Unstored notice = (Notice.Unstored) first(ear);
        assertThat(notice.token()).isEqualTo(token);
        assertThat(notice.entry()).isEqualTo(entry);
    }

    @Test
    void resultThatCannotBeShownIsToldAsAFreeLease() {
        Ear ear = listening(key);

        on(store).pass(key, granted(null, LONG), new LeaseEnd.Pass(null, LONG, true, List.of()));

        assertThat(first(ear)).isEqualTo(new Notice.Freed());
    }

    @Test
    void publishedEntryIsToldByteForByte() {
        Ear ear = listening(key);
        LeaseToken token = waitedFor(key, null);
        byte[] entry = entry(token, 100);

        on(store).publish(key, token, entry, LONG);

        Notice.Published notice = (Notice.Published) first(ear);
        assertThat(notice.token()).isEqualTo(token);
        assertThat(notice.entry()).isEqualTo(entry);
    }

    @Test
    @Tag("essential")
    void failureIsTold() {
        Ear ear = listening(key);
        LeaseToken token = granted(null, LONG);
        byte[] reason = {0, 1, '\n', -1};

        on(store).fail(key, token, new LeaseEnd.Fail(reason, 1, Duration.ofSeconds(7), LONG));

        Notice.Failed notice = (Notice.Failed) first(ear);
        assertThat(notice.token()).isEqualTo(token);
        assertThat(notice.failure()).isEqualTo(reason);
        assertThat(notice.coolDown()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    @Tag("essential")
    void whateverElseEndsALeaseIsTold() {
        List<Runnable> ends = List.of(
                () -> on(store).abandon(key, granted(null, LONG)),
                () -> on(store).invalidate(key),
                () -> on(store).expire(key, LeaseToken.BYTES, new byte[1]),
                () -> on(store).put(key, entry(LeaseToken.next(), 10), LONG));
        for (Runnable end : ends) {
            Ear ear = listening(key);

            end.run();

            assertThat(first(ear)).isEqualTo(new Notice.Freed());
        }
    }

    @Test
    void extensionIsReportedWithoutEntryAndItsRefusalAsFreed() {
        LeaseToken seen = LeaseToken.next();
        on(store).put(key, entry(seen, 10), LONG);
        Ear ear = listening(key);
        LeaseToken token = waitedFor(key, seen);

        on(store).extend(key, token, seen, token.toBytes(), LONG);
        on(store).extend(key, waitedFor(key, token), seen, token.toBytes(), LONG);

        assertThat(first(ear)).isEqualTo(new Notice.Published(token, null));
        Fleet.until(() -> ear.notices().size() == 2);
        assertThat(ear.notices().get(1)).isEqualTo(new Notice.Freed());
    }

    @Test
    @Tag("essential")
    void watchersOfEachOfManyLeasesAreNotifiedOfItsEnd() {
        List<Ear> ears = new ArrayList<>();
        List<HeldLease> leases = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ears.add(listening(key + i));
            leases.add(new HeldLease(key + i, waitedFor(key + i, null)));
        }

        on(store).endAll(leases.subList(0, 2), LeaseNotificationsContract::entryUnder);
        on(store).abandonAll(leases.subList(2, 4));
        LeaseEnd.Fail failed = new LeaseEnd.Fail(new byte[] {1}, 1, LONG, LONG);
        on(store).endAll(leases.subList(4, 6), lease -> failed);

        for (int i = 0; i < 2; i++) {
            assertThat(((Notice.Published) first(ears.get(i))).entry())
                    .isEqualTo(entryUnder(leases.get(i)).entry());
            assertThat(first(ears.get(2 + i))).isEqualTo(new Notice.Freed());
            assertThat(((Notice.Failed) first(ears.get(4 + i))).token())
                    .isEqualTo(leases.get(4 + i).token());
        }
    }

    private static LeaseEnd.Publish entryUnder(HeldLease lease) {
        return new LeaseEnd.Publish(entry(lease.token(), 10), LONG);
    }

    @Test
    void whatIsRefusedIsNotTold() {
        Ear ear = listening(key);
        LeaseToken stranger = LeaseToken.next();
        LeaseToken holder = waitedFor(key, null);

        on(store).publish(key, stranger, entry(stranger, 10), LONG);
        on(store).abandon(key, stranger);
        on(store).fail(key, stranger, new LeaseEnd.Fail(new byte[0], 1, LONG, LONG));
        on(store).publish(key, holder, entry(holder, 10), LONG);

        assertThat(((Notice.Published) first(ear)).token()).isEqualTo(holder);
    }

    @Test
    void waiterIsStillNotifiedAfterARenewalOrRepeatedRequest() {
        Ear ear = listening(key);
        LeaseToken token = waitedFor(key, null);
        HeldLease lease = new HeldLease(key, token);

        assertThat(store.renew(List.of(lease), LONG)).isEmpty();
        assertThat(store.renew(List.of(lease), LONG.multipliedBy(2))).isEmpty();
        assertThat(ask(token)).isInstanceOf(LeaseAttempt.Granted.class);
        on(store).publish(key, token, entry(token, 10), LONG);

        assertThat(((Notice.Published) first(ear)).token()).isEqualTo(token);
    }

    @Test
    @Tag("essential")
    void everybodyWhoWatchesAKeyIsToldAndNobodyElse() {
        Ear one = listening(key);
        Ear other = listening(key);
        Ear elsewhere = listening(key + "-elsewhere");

        on(store).invalidate(key);
        on(store).invalidate(key + "-elsewhere");

        first(one);
        first(other);
        first(elsewhere);
        assertThat(one.notices()).hasSize(1);
        assertThat(elsewhere.notices()).hasSize(1);
    }

    @Test
    void whoClosedItsWatchHearsNothingMoreAndTheOthersDo() {
        Ear stays = listening(key);
        Ear goes = listening(key);
        watches.remove(watches.size() - 1).close();
        on(store).invalidate(key);
        first(stays);
        int before = goes.notices().size();

        on(store).invalidate(key);

        Fleet.until(() -> stays.notices().size() == 2);
        assertThat(goes.notices()).hasSize(before);
    }

    @Test
    void keyCanBeWatchedAgain() {
        for (int round = 1; round <= 20; round++) {
            Ear ear = listening(key);
            on(store).invalidate(key);
            assertThat(first(ear)).as("round %d", round).isEqualTo(new Notice.Freed());
            watches.remove(watches.size() - 1).close();
        }
    }

    @Test
    @Tag("essential")
    void entryTooLargeToBeToldIsAnnouncedAtLeast() {
        Ear ear = listening(key);
        LeaseToken token = waitedFor(key, null);

        on(store).publish(key, token, entry(token, 1_000_000), LONG);

        Notice.Published notice = (Notice.Published) first(ear);
        assertThat(notice.token()).isEqualTo(token);
        assertThat(notice.entry() == null || notice.entry().length == 1_000_000 + LeaseToken.BYTES)
                .isTrue();
    }

    private static Notice first(Ear ear) {
        Fleet.until(() -> !ear.notices().isEmpty());
        return ear.notices().get(0);
    }

    private static byte[] entry(LeaseToken token, int payload) {
        ByteBuffer entry = ByteBuffer.allocate(LeaseToken.BYTES + payload);
        token.writeTo(entry);
        return entry.array();
    }
}
