package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every shared store must do with entries. A store's test extends the last of the contracts that it fulfills,
 * usually {@link LeaseNotificationsContract}, so that each store has one test class; each test uses keys of its own.
 */
public abstract class SharedStoreContract {
    static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(60);

    final String key =
            "contract:" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    SharedStore store;

    @BeforeEach
    void takeStore() {
        store = store().shared();
    }

    /** Returns the store under test. */
    protected abstract CacheStore store();

    /** Lets time pass: in reality, or on the store's virtual clock. */
    protected void pass(Duration length) throws InterruptedException {
        Thread.sleep(length.toMillis());
    }

    @Test
    void aStoreThatAnswersRefusesNoRead() {
        BreakerEvents breaker = store.ability(BreakerEvents.class);
        assertThat(breaker == null ? null : breaker.refusal("refused:no")).isNull();
    }

    @Test
    @Tag("essential")
    void expiredOwnerCanNeitherPublishNorAbandon() throws InterruptedException {
        LeaseToken late = granted(null, SHORT);
        pass(SHORT.multipliedBy(2));
        LeaseToken next = granted(null, LONG);

        assertThat(on(store).publish(key, late, entry(late, "late"), LONG)).isFalse();
        assertThat(on(store).abandon(key, late)).isFalse();

        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).publish(key, next, entry(next, "next"), LONG)).isTrue();
    }

    @Test
    void absentKeyReadsAsNull() {
        assertThat(on(store).read(key)).isNull();
    }

    @Test
    @Tag("essential")
    void publishedEntryIsReadByteForByteAndEndsTheLease() {
        LeaseToken token = granted(null, LONG);
        byte[] entry = entry(token, "all bytes \0\n\r{}%\u00e4");

        assertThat(on(store).publish(key, token, entry, LONG)).isTrue();

        assertThat(on(store).read(key)).isEqualTo(entry);
        assertThat(on(store).abandon(key, token)).isFalse();
    }

    @Test
    void publishingAgainChangesNothingAndSaysThatItIsDone() {
        LeaseToken token = granted(null, LONG);
        byte[] entry = entry(token, "once");
        on(store).publish(key, token, entry, LONG);

        assertThat(on(store).publish(key, token, entry(token, "again"), LONG)).isTrue();

        assertThat(on(store).read(key)).isEqualTo(entry);
        on(store).invalidate(key);
        assertThat(on(store).publish(key, token, entry(token, "once more"), LONG))
                .isFalse();
    }

    @Test
    @Tag("essential")
    void secondAskerIsToldWhoHoldsTheLeaseAndForHowLong() {
        LeaseToken holder = granted(null, LONG);

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask(LeaseToken.next(), null, LONG);

        assertThat(held.holder()).isEqualTo(holder);
        assertThat(held.remaining()).isBetween(LONG.minusSeconds(10), LONG);
    }

    @Test
    void askingAgainWithTheSameTokenIsGrantedAgain() {
        LeaseToken token = granted(null, LONG);

        assertThat(ask(token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    @Tag("essential")
    void unseenEntryIsFoundAndNoLeaseTaken() {
        LeaseToken token = granted(null, LONG);
        byte[] entry = entry(token, "value");
        on(store).publish(key, token, entry, LONG);

        LeaseAttempt.Found found = (LeaseAttempt.Found) ask(LeaseToken.next(), LeaseToken.next(), LONG);
        LeaseAttempt.Found foundBySomebodyWhoSawNothing = (LeaseAttempt.Found) ask(LeaseToken.next(), null, LONG);

        assertThat(found.stored()).isEqualTo(entry);
        assertThat(foundBySomebodyWhoSawNothing.stored()).isEqualTo(entry);
        granted(token, LONG);
    }

    @Test
    @Tag("essential")
    void seenEntryStaysReadableWhileItIsReloaded() {
        LeaseToken first = granted(null, LONG);
        byte[] old = entry(first, "old");
        on(store).publish(key, first, old, LONG);

        LeaseToken second = granted(first, LONG);
        assertThat(on(store).read(key)).isEqualTo(old);
        assertThat(ask(LeaseToken.next(), first, LONG)).isInstanceOf(LeaseAttempt.Held.class);

        byte[] young = entry(second, "new");
        assertThat(on(store).publish(key, second, young, LONG)).isTrue();
        assertThat(on(store).read(key)).isEqualTo(young);
    }

    @Test
    void entryTooShortForATokenCountsAsNone() {
        on(store).put(key, new byte[] {1, 2, 3}, LONG);

        assertThat(on(store).read(key)).containsExactly(1, 2, 3);
        LeaseToken token = granted(null, LONG);
        assertThat(on(store).publish(key, token, entry(token, "repaired"), LONG))
                .isTrue();
    }

    @Test
    @Tag("essential")
    void abandonFreesTheLeaseAndKeepsTheEntry() {
        LeaseToken first = granted(null, LONG);
        byte[] entry = entry(first, "kept");
        on(store).publish(key, first, entry, LONG);
        LeaseToken second = granted(first, LONG);

        assertThat(on(store).abandon(key, second)).isTrue();

        assertThat(on(store).read(key)).isEqualTo(entry);
        granted(first, LONG);
    }

    @Test
    void strangerCannotPublishOrAbandon() {
        LeaseToken holder = granted(null, LONG);
        LeaseToken stranger = LeaseToken.next();

        assertThat(on(store).publish(key, stranger, entry(stranger, "stranger's"), LONG))
                .isFalse();
        assertThat(on(store).abandon(key, stranger)).isFalse();

        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).abandon(key, holder)).isTrue();
    }

    @Test
    @Tag("essential")
    void invalidateRemovesTheEntryAndOutdatesTheLoadInFlight() {
        LeaseToken first = granted(null, LONG);
        on(store).publish(key, first, entry(first, "old"), LONG);
        LeaseToken inFlight = granted(first, LONG);

        on(store).invalidate(key);

        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).publish(key, inFlight, entry(inFlight, "late writer"), LONG))
                .isFalse();
        assertThat(on(store).read(key)).isNull();
        granted(null, LONG);
    }

    @Test
    void putWhoseCallerHasGivenUpChangesNothing() {
        LeaseToken token = LeaseToken.next();
        ask(token, null, LONG);

        assertThat(on(store).put(key, entry(LeaseToken.next(), "late"), LONG, Duration.ZERO))
                .isFalse();

        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).publish(key, token, entry(token, "loaded"), LONG)).isTrue();
    }

    @Test
    @Tag("essential")
    void putStoresTheEntryAndOutdatesTheLoadInFlight() {
        LeaseToken inFlight = granted(null, LONG);
        byte[] put = entry(LeaseToken.next(), "put");

        on(store).put(key, put, LONG);

        assertThat(on(store).publish(key, inFlight, entry(inFlight, "late writer"), LONG))
                .isFalse();
        assertThat(on(store).read(key)).isEqualTo(put);
    }

    @Test
    void expireOverwritesInPlaceAndOutdatesTheLoadInFlight() {
        LeaseToken first = granted(null, LONG);
        byte[] entry = entry(first, "0123456789");
        on(store).publish(key, first, entry.clone(), LONG.dividedBy(4));
        LeaseToken inFlight = granted(first, LONG);

        on(store).expire(key, LeaseToken.BYTES + 2, new byte[] {'#', '#'});

        assertThat(on(store).read(key)).isEqualTo(entry(first, "01##456789"));
        assertThat(on(store).publish(key, inFlight, entry(inFlight, "late writer"), LONG))
                .isFalse();
        assertThat(store.inspect(key).remaining())
                .as("its lifetime has not changed")
                .isBetween(LONG.dividedBy(8), LONG.dividedBy(4));
    }

    @Test
    void expireDoesNotLengthenAnEntryThatIsTooShort() {
        byte[] entry = entry(LeaseToken.next(), "short");
        on(store).put(key, entry.clone(), LONG);

        on(store).expire(key, entry.length - 1, new byte[] {'#', '#'});

        assertThat(on(store).read(key)).isEqualTo(entry);
    }

    @Test
    @Tag("essential")
    void expireOfAnAbsentKeyStoresNothing() {
        LeaseToken inFlight = granted(null, LONG);

        on(store).expire(key, LeaseToken.BYTES, new byte[8]);

        assertThat(on(store).read(key)).isNull();
        assertThat(on(store).abandon(key, inFlight)).isFalse();
    }

    @Test
    void keysDoNotMeet() {
        LeaseToken token = granted(null, LONG);
        String neighbour = key + ":lease";

        assertThat(on(store).lease(neighbour, LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        on(store).invalidate(neighbour);

        assertThat(on(store).publish(key, token, entry(token, "undisturbed"), LONG))
                .isTrue();
        assertThat(on(store).read(neighbour)).isNull();
    }

    @Test
    @Tag("essential")
    void anyTextIsAKey() {
        for (String text :
                List.of("", " ", "{", "}", "%7B", "{}", "a{b}c", "\u4e2d\u6587", "\ud83d\ude00", "new\nline", "\0")) {
            String odd = key + text;
            byte[] entry = entry(LeaseToken.next(), text);
            on(store).put(odd, entry, LONG);
            assertThat(on(store).read(odd)).isEqualTo(entry);
            on(store).invalidate(odd);
            assertThat(on(store).read(odd)).isNull();
        }
    }

    @Test
    @Tag("essential")
    void oneOfManyAskersIsGranted() throws Exception {
        int askers = 16;
        ExecutorService threads = Executors.newFixedThreadPool(askers);
        try {
            for (int round = 0; round < 50; round++) {
                CyclicBarrier start = new CyclicBarrier(askers);
                Callable<LeaseAttempt> asker = () -> {
                    start.await();
                    return ask(LeaseToken.next(), null, LONG);
                };
                List<Future<LeaseAttempt>> answers = new ArrayList<>();
                for (int i = 0; i < askers; i++) {
                    answers.add(threads.submit(asker));
                }
                int granted = 0;
                for (Future<LeaseAttempt> answer : answers) {
                    granted += answer.get() instanceof LeaseAttempt.Granted ? 1 : 0;
                }
                assertThat(granted).isEqualTo(1);
                on(store).invalidate(key);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void clockAdvancesWithTime() throws InterruptedException {
        long before = store.currentTimeMillis();
        pass(SHORT);

        // The store has an estimate of the server's clock, which it may correct meanwhile.
        Fleet.until(() -> store.currentTimeMillis() - before >= SHORT.toMillis());
        assertThat(store.currentTimeMillis() - before).isLessThan(LONG.toMillis());
    }

    final LeaseAttempt ask(LeaseToken token) {
        return ask(token, null, LONG);
    }

    final LeaseAttempt ask(LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        return on(store).lease(key, token, seen, ttl);
    }

    final LeaseToken granted(@Nullable LeaseToken seen, Duration ttl) {
        return granted(key, seen, ttl);
    }

    final LeaseToken granted(String leased, @Nullable LeaseToken seen, Duration ttl) {
        LeaseToken token = LeaseToken.next();
        assertThat(on(store).lease(leased, token, seen, ttl)).isInstanceOf(LeaseAttempt.Granted.class);
        return token;
    }

    static byte[] entry(LeaseToken token, String payload) {
        byte[] bytes = payload.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        ByteBuffer entry = ByteBuffer.allocate(LeaseToken.BYTES + bytes.length);
        token.writeTo(entry);
        return entry.put(bytes).array();
    }
}
