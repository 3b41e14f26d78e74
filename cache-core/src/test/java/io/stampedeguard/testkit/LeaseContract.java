package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every shared store must do with long leases and with failed loads. */
public abstract class LeaseContract extends SharedStoreContract {
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final byte[] REASON =
            "Broken\nno reason at all \0 \u00e4".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    @Test
    @Tag("essential")
    void renewedLeaseOutlivesItsFirstLife() {
        LeaseToken token = granted(null, LONG.dividedBy(4));

        assertThat(store.renew(List.of(new HeldLease(key, token)), LONG)).isEmpty();

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask(LeaseToken.next());
        assertThat(held.remaining()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(on(store).publish(key, token, entry(token), LONG)).isTrue();
    }

    @Test
    @Tag("essential")
    void leasesOfOthersAreNotRenewedAndToldToBeLost() throws InterruptedException {
        LeaseToken expired = granted(null, SHORT);
        LeaseToken kept = granted(key + "-kept", null, LONG);
        LeaseToken invalidated = granted(key + "-invalidated", null, LONG);
        LeaseToken published = granted(key + "-published", null, LONG);
        on(store).invalidate(key + "-invalidated");
        on(store).publish(key + "-published", published, entry(published), LONG);
        pass(SHORT.multipliedBy(2));
        LeaseToken successor = granted(null, SHORT);

        Set<HeldLease> lost = store.renew(
                List.of(
                        new HeldLease(key, expired),
                        new HeldLease(key + "-kept", kept),
                        new HeldLease(key + "-invalidated", invalidated),
                        new HeldLease(key + "-published", published)),
                LONG);

        assertThat(lost)
                .containsExactlyInAnyOrder(
                        new HeldLease(key, expired),
                        new HeldLease(key + "-invalidated", invalidated),
                        new HeldLease(key + "-published", published));
        pass(SHORT.multipliedBy(2));
        assertThat(on(store).abandon(key, successor))
                .as("lengthened by a stranger")
                .isFalse();
    }

    @Test
    void manyLeasesAreRenewedTogether() {
        List<HeldLease> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            leases.add(new HeldLease(key + i, granted(key + i, null, LONG)));
        }

        assertThat(store.renew(leases, LONG)).isEmpty();
    }

    @Test
    void failureKeepsEverybodyAwayDuringTheCoolDown() {
        LeaseToken token = granted(null, LONG);

        assertThat(on(store).fail(key, token, failed(1, LONG))).isTrue();

        LeaseAttempt.Failed answer = (LeaseAttempt.Failed) ask(LeaseToken.next());
        assertThat(answer.failure()).isEqualTo(REASON);
        assertThat(answer.remaining()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(ask(token)).as("the failed one, too").isInstanceOf(LeaseAttempt.Failed.class);
        assertThat(on(store).publish(key, token, entry(token), LONG)).isFalse();
        assertThat(on(store).read(key)).isNull();
    }

    @Test
    void successEndsTheRowOfFailures() throws InterruptedException {
        on(store).fail(key, granted(null, LONG), failed(1, SHORT));
        pass(SHORT.multipliedBy(2));
        LeaseToken token = LeaseToken.next();
        assertThat(ask(token)).isEqualTo(new LeaseAttempt.Granted(1));
        byte[] entry = entry(token);
        on(store).publish(key, token, entry, LONG);

        assertThat(on(store).lease(key, LeaseToken.next(), token, LONG)).isEqualTo(new LeaseAttempt.Granted(0));
    }

    @Test
    void failureOfOneWhoLostItsLeaseIsNotNoted() throws InterruptedException {
        LeaseToken late = granted(null, SHORT);
        pass(SHORT.multipliedBy(2));
        LeaseToken next = granted(null, LONG);

        assertThat(on(store).fail(key, late, failed(1, LONG))).isFalse();

        assertThat(on(store).publish(key, next, entry(next), LONG)).isTrue();
    }

    @Test
    @Tag("essential")
    void entryIsStillReadAndFoundDuringTheCoolDown() {
        LeaseToken first = granted(null, LONG);
        byte[] entry = entry(first);
        on(store).publish(key, first, entry, LONG);
        LeaseToken second = LeaseToken.next();
        on(store).lease(key, second, first, LONG);
        on(store).fail(key, second, failed(1, LONG));

        assertThat(on(store).read(key)).isEqualTo(entry);
        assertThat(ask(LeaseToken.next())).isInstanceOf(LeaseAttempt.Found.class);
        assertThat(on(store).lease(key, LeaseToken.next(), first, LONG)).isInstanceOf(LeaseAttempt.Failed.class);
    }

    @Test
    void invalidateExpireAndPutEndTheCoolDown() {
        List<Runnable> changes = List.of(
                () -> on(store).invalidate(key), () -> on(store).expire(key, LeaseToken.BYTES, new byte[1]), () -> {
                    on(store).put(key, entry(LeaseToken.next()), LONG);
                    on(store).invalidate(key);
                });
        for (Runnable change : changes) {
            on(store).fail(key, granted(null, LONG), failed(2, LONG));

            change.run();

            LeaseToken token = LeaseToken.next();
            assertThat(ask(token)).isEqualTo(new LeaseAttempt.Granted(0));
            on(store).abandon(key, token);
        }
    }

    @Test
    @Tag("essential")
    void failureMarkIsNotTakenForALease() {
        LeaseToken token = granted(null, LONG);
        on(store).fail(key, token, failed(1, LONG));

        assertThat(on(store).abandon(key, token)).isFalse();
        assertThat(on(store).fail(key, token, failed(2, LONG))).isFalse();
        assertThat(store.renew(List.of(new HeldLease(key, token)), LONG)).hasSize(1);
        assertThat(ask(LeaseToken.next())).isInstanceOf(LeaseAttempt.Failed.class);
    }

    @Test
    void extendedEntryKeepsItsPayloadLivesOnAndEndsTheLease() {
        LeaseToken first = LeaseToken.next();
        on(store).put(key, entry(first, "head and tail"), LONG.dividedBy(4));
        LeaseToken second = granted(first, LONG);

        assertThat(on(store).extend(key, second, first, entry(second, "HEAD"), LONG))
                .isTrue();

        assertThat(on(store).read(key)).isEqualTo(entry(second, "HEAD and tail"));
        assertThat(on(store).extend(key, second, first, entry(second, "HEAD"), LONG))
                .as("asked again, as if the answer had been lost")
                .isTrue();
        assertThat(store.inspect(key).remaining()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(on(store).abandon(key, second)).isFalse();
        assertThat(on(store).lease(key, LeaseToken.next(), first, LONG)).isInstanceOf(LeaseAttempt.Found.class);
        granted(second, LONG);
    }

    @Test
    @Tag("essential")
    void nobodyExtendsWithoutTheLease() {
        LeaseToken first = LeaseToken.next();
        byte[] entry = entry(first);
        on(store).put(key, entry.clone(), LONG);
        LeaseToken holder = granted(first, LONG);
        LeaseToken stranger = LeaseToken.next();

        assertThat(on(store).extend(key, stranger, first, stranger.toBytes(), LONG))
                .isFalse();

        assertThat(on(store).read(key)).isEqualTo(entry);
        assertThat(on(store).abandon(key, holder)).isTrue();
    }

    @Test
    void entryThatIsGoneIsNotExtendedAndTheLeaseEnds() throws InterruptedException {
        LeaseToken first = LeaseToken.next();
        on(store).put(key, entry(first), SHORT);
        LeaseToken second = granted(first, LONG);
        pass(SHORT.multipliedBy(2));

        assertThat(on(store).extend(key, second, first, second.toBytes(), LONG)).isFalse();

        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).abandon(key, second)).isFalse();
    }

    @Test
    void unseenEntryIsNotExtendedAndTheLeaseEnds() {
        LeaseToken first = LeaseToken.next();
        byte[] entry = entry(first);
        on(store).put(key, entry.clone(), LONG);
        LeaseToken second = granted(first, LONG);

        assertThat(on(store).extend(key, second, LeaseToken.next(), second.toBytes(), LONG))
                .isFalse();

        assertThat(on(store).read(key)).isEqualTo(entry);
        assertThat(on(store).abandon(key, second)).isFalse();
    }

    @Test
    void extensionEndsTheRowOfFailures() throws InterruptedException {
        LeaseToken first = LeaseToken.next();
        on(store).put(key, entry(first), LONG);
        on(store).fail(key, granted(first, LONG), failed(2, SHORT));
        pass(SHORT.multipliedBy(2));
        LeaseToken second = granted(first, LONG);

        on(store).extend(key, second, first, second.toBytes(), LONG);

        assertThat(on(store).lease(key, LeaseToken.next(), second, LONG)).isEqualTo(new LeaseAttempt.Granted(0));
    }

    @Test
    void abandonEndsTheRowOfFailures() throws InterruptedException {
        on(store).fail(key, granted(null, LONG), failed(2, SHORT));
        pass(SHORT.multipliedBy(2));

        on(store).abandon(key, granted(null, LONG));

        assertThat(ask(LeaseToken.next())).isEqualTo(new LeaseAttempt.Granted(0));
    }

    @Test
    void whatIsNotStoredKeepsNobodyWaiting() {
        LeaseToken token = granted(null, LONG);

        assertThat(on(store).pass(key, token, unstored(LONG))).isTrue();

        LeaseAttempt.NotCacheable answer = (LeaseAttempt.NotCacheable) ask(LeaseToken.next());
        assertThat(answer.remaining()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).publish(key, token, entry(token), LONG)).isFalse();
        assertThat(on(store).abandon(key, token)).isFalse();
    }

    @Test
    void withoutAMarkTheLeaseIsFreeAtOnce() {
        assertThat(on(store).pass(key, granted(null, LONG), unstored(Duration.ZERO)))
                .isTrue();

        assertThat(ask(LeaseToken.next())).isEqualTo(new LeaseAttempt.Granted(0));
    }

    @Test
    void entryGoesOnlyIfThatIsWished() {
        LeaseToken first = LeaseToken.next();
        byte[] entry = entry(first);
        on(store).put(key, entry.clone(), LONG);

        on(store).pass(key, granted(first, LONG), new LeaseEnd.Pass(null, Duration.ZERO, false, List.of()));
        assertThat(on(store).read(key)).isEqualTo(entry);

        on(store).pass(key, granted(first, LONG), new LeaseEnd.Pass(null, LONG, true, List.of()));
        assertThat(on(store).read(key)).isNull();
    }

    @Test
    void nobodyPassesWithoutTheLease() {
        LeaseToken first = LeaseToken.next();
        byte[] entry = entry(first);
        on(store).put(key, entry.clone(), LONG);
        LeaseToken holder = granted(first, LONG);

        assertThat(on(store).pass(key, LeaseToken.next(), new LeaseEnd.Pass(null, LONG, true, List.of())))
                .isFalse();

        assertThat(on(store).read(key)).isEqualTo(entry);
        assertThat(on(store).abandon(key, holder)).isTrue();
    }

    @Test
    void invalidateExpireAndPutEndTheMark() {
        List<Runnable> changes = List.of(
                () -> on(store).invalidate(key), () -> on(store).expire(key, LeaseToken.BYTES, new byte[1]), () -> {
                    on(store).put(key, entry(LeaseToken.next()), LONG);
                    on(store).invalidate(key);
                });
        for (Runnable change : changes) {
            on(store).pass(key, granted(null, LONG), unstored(LONG));

            change.run();

            LeaseToken token = LeaseToken.next();
            assertThat(ask(token)).isEqualTo(new LeaseAttempt.Granted(0));
            on(store).abandon(key, token);
        }
    }

    private static LeaseEnd.Pass unstored(Duration notCacheable) {
        return new LeaseEnd.Pass(null, notCacheable, true, List.of());
    }

    private static LeaseEnd.Fail failed(int inARow, Duration coolDown) {
        return new LeaseEnd.Fail(REASON, inARow, coolDown, LONG);
    }

    private static byte[] entry(LeaseToken token) {
        return entry(token, "value");
    }
}
