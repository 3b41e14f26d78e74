package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every shared store must do if all entries of a cache are changed at once ({@link Change.OfAll}). A store's test has it as a
 * nested class beside the {@link SharedStoreContract}; each test has caches of its own. So it must for those with a tag.
 */
public abstract class AllEntriesContract extends TagsContract {
    private static final int MANY = 10;

    /** Returns whether such a lease is granted to the next one who requests it. */
    protected boolean passesLeasesOn() {
        return endsLeases();
    }

    private boolean change(boolean removes) {
        Change each =
                removes ? new Change.Invalidate() : new Change.Expire(Entry.SOFT_EXPIRY_OFFSET, Entry.staleMark());
        return store.change(cache, new Change.OfAll(each, Set.of(), false), store.patience());
    }

    private LeaseAttempt ask(LeaseToken token, @Nullable LeaseToken seen) {
        return on(store).lease(key, token, seen, LONG);
    }

    private LeaseToken publish(String storeKey, @Nullable LeaseToken seen) {
        LeaseToken token = LeaseToken.next();
        assertThat(on(store).lease(storeKey, token, seen, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(on(store).publish(storeKey, token, entry(token), LONG)).isTrue();
        return token;
    }

    @Test
    @Tag("essential")
    void removalLeavesNothingOfWhatIsThere() {
        LeaseToken first = publish(key, null);
        publish(cache + ":2", null);
        assertThat(left(key)).isNotNull();

        assertThat(change(true)).isTrue();

        assertThat(left(key)).isNull();
        assertThat(left(cache + ":2")).isNull();
        publish(key, on(store).read(key) == null ? null : first);
        assertThat(left(key)).as("stored afterwards").isNotNull();
        assertThat(left(cache + ":2")).isNull();
    }

    @Test
    void expiryLeavesStaleEntries() {
        publish(key, null);

        assertThat(change(false)).isTrue();

        Entry left = left(key);
        assertThat(left).isNotNull();
        assertThat(left.softExpiryMillis()).isZero();
        assertThat(left.payload()).isEqualTo(ByteBuffer.wrap("value".getBytes(UTF_8)));
    }

    @Test
    void valueAsOfATimeBeforeTheChangeIsNotStored() {
        requireNonNull(store.ability(ChangeMemory.class)).remember(cache, LONG);
        long before = store.currentTimeMillis();
        change(true);
        LeaseToken token = LeaseToken.next();
        assertThat(ask(token, null)).isInstanceOf(LeaseAttempt.Granted.class);
        HeldLease lease = new HeldLease(key, token);

        assertThat(store.end(Map.of(lease, new LeaseEnd.Publish(entry(token), LONG, before, List.of()))))
                .containsEntry(lease, !endsLeases());
    }

    @Test
    void otherCachesKeepTheirEntries() {
        String longer = cache + "-longer:1";
        Marks others = Marks.of(store.ability(Marks.Keeper.class), cache + "-longer");
        publish(longer, null);

        change(true);

        byte[] bytes = on(store).read(longer);
        assertThat(Entry.decode(bytes).under(others)).isNotNull();
    }

    @ForEach
    void loadFromBeforeIsNotStoredAndNobodyWaitsForIt(boolean removes) {
        LeaseToken old = LeaseToken.next();
        ask(old, null);
        byte[] entry = entry(old);

        change(removes);

        if (endsLeases()) {
            assertThat(on(store).publish(key, old, entry, LONG)).isFalse();
            assertThat(ask(LeaseToken.next(), null)).isInstanceOf(LeaseAttempt.Granted.class);
        } else {
            on(store).publish(key, old, entry, LONG);
        }
        Entry left = left(key);
        assertThat(left == null || (!removes && left.softExpiryMillis() == 0)).isTrue();
    }

    @Test
    void leaseFromBeforeIsTakenOverWhileItsLoadRuns() {
        LeaseToken old = LeaseToken.next();
        ask(old, null);

        change(true);

        LeaseToken next = LeaseToken.next();
        LeaseAttempt answer = ask(next, null);
        if (passesLeasesOn()) {
            assertThat(answer).isInstanceOf(LeaseAttempt.Granted.class);
            assertThat(on(store).publish(key, old, entry(old), LONG)).isFalse();
            assertThat(store.renew(List.of(new HeldLease(key, next)), LONG.multipliedBy(2)))
                    .isEmpty();
            assertThat(on(store).publish(key, next, entry(next), LONG))
                    .as("renewed")
                    .isTrue();
        } else {
            assertThat(answer).isInstanceOf(LeaseAttempt.Held.class);
        }
    }

    @Test
    void leaseFromAfterwardsIsHeldAgainstOthers() {
        change(true);
        LeaseToken holder = LeaseToken.next();
        ask(holder, null);

        assertThat(((LeaseAttempt.Held) ask(LeaseToken.next(), null)).holder()).isEqualTo(holder);
        assertThat(((LeaseAttempt.Held) ask(LeaseToken.next(), null)).holder())
                .as("after somebody was told")
                .isEqualTo(holder);
        assertThat(on(store).abandon(key, holder)).isTrue();
    }

    @Test
    void extensionAndUnstoredResultFromBeforeAreRefused() {
        LeaseToken seen = publish(key, null);
        LeaseToken old = LeaseToken.next();
        on(store).lease(key, old, seen, LONG);
        byte[] head = Entry.headOf(entry(old));
        LeaseToken unstored = LeaseToken.next();
        on(store).lease(cache + ":2", unstored, null, LONG);

        change(true);

        Map<HeldLease, LeaseEnd> ends = Map.of(
                new HeldLease(key, old), new LeaseEnd.Extend(seen, head, LONG, List.of()),
                new HeldLease(cache + ":2", unstored), new LeaseEnd.Pass(entry(unstored), LONG, false, List.of()));
        if (endsLeases()) {
            assertThat(store.end(ends).values()).containsOnly(false);
            assertThat(on(store).lease(cache + ":2", LeaseToken.next(), null, LONG))
                    .as("no mark")
                    .isInstanceOf(LeaseAttempt.Granted.class);
        }
        assertThat(left(key)).isNull();
    }

    @Test
    void putOfAProcessThatDoesNotKnowOfItIsThere() {
        byte[] entry = entry(LeaseToken.next());
        change(true);

        if (endsLeases()) {
            on(store).put(key, entry, LONG);
            assertThat(left(key)).isNotNull();
        }
        change(true);
        assertThat(left(key)).isNull();
    }

    @Test
    void eachRemovalRemovesWhatCameAfterTheOneBefore() {
        for (int times = 0; times < 3; times++) {
            byte[] stored = on(store).read(key);
            publish(key, stored == null ? null : LeaseToken.startOf(stored));
            assertThat(left(key)).isNotNull();

            change(true);

            assertThat(left(key)).isNull();
        }
    }

    @Test
    void leasesOfManyKeysFromBeforeAreTakenOver() {
        List<LeaseRequest> old = requests();
        assertThat(on(store).leaseAll(old, LONG).values())
                .hasSize(MANY)
                .hasOnlyElementsOfType(LeaseAttempt.Granted.class);

        change(true);

        List<LeaseRequest> next = requests();
        assertThat(on(store).leaseAll(next, LONG).values())
                .hasSize(MANY)
                .hasOnlyElementsOfType(passesLeasesOn() ? LeaseAttempt.Granted.class : LeaseAttempt.Held.class);
        if (passesLeasesOn()) {
            assertThat(publishAll(old)).hasSize(MANY).containsOnly(false);
            assertThat(publishAll(next)).hasSize(MANY).containsOnly(true);
        }
    }

    @Test
    void entriesOfManyKeysAreGone() {
        List<LeaseRequest> requests = requests();
        on(store).leaseAll(requests, LONG);
        assertThat(publishAll(requests)).hasSize(MANY).containsOnly(true);

        change(true);

        Map<String, byte @Nullable []> stored =
                on(store).readAll(requests.stream().map(LeaseRequest::key).toList());
        assertThat(stored)
                .hasSize(MANY)
                .allSatisfy((each, bytes) -> assertThat(under(marks, bytes)).isNull());
    }

    private List<LeaseRequest> requests() {
        return IntStream.range(0, MANY)
                .mapToObj(i -> new LeaseRequest(cache + ":" + i, LeaseToken.next(), null))
                .toList();
    }

    private List<Boolean> publishAll(List<LeaseRequest> requests) {
        List<HeldLease> leases = requests.stream()
                .map(each -> new HeldLease(each.key(), each.token()))
                .toList();
        return List.copyOf(on(store)
                .endAll(leases, lease -> new LeaseEnd.Publish(entry(lease.token()), LONG))
                .values());
    }
}
