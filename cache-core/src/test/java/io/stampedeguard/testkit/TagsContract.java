package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every shared store must do if all entries of a cache with a tag are changed at once ({@link Change.OfAll} with tags). Each test
 * has a cache of its own.
 */
public abstract class TagsContract {
    static final Duration LONG = Duration.ofMinutes(1);

    final String cache = "tags-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    final String key = cache + ":1";
    SharedStore store;
    Marks marks;

    @BeforeEach
    void takeStore() {
        store = store().shared();
        marks = Marks.of(store.ability(Marks.Keeper.class), cache);
    }

    /** Returns the store under test. */
    protected abstract CacheStore store();

    /** Returns whether the leases of running loads end with a change, so that no result of them is stored. */
    protected boolean endsLeases() {
        return true;
    }

    private boolean change(boolean removes, String... tags) {
        Change each =
                removes ? new Change.Invalidate() : new Change.Expire(Entry.SOFT_EXPIRY_OFFSET, Entry.staleMark());
        return store.change(cache, new Change.OfAll(each, Set.of(tags), false), store.patience());
    }

    /** Returns an entry of a load that begins now. */
    final byte[] entry(LeaseToken token, String... tags) {
        return new Entry(
                        token,
                        false,
                        1,
                        1_000,
                        2_000,
                        1,
                        CodecIdentity.NONE,
                        ByteBuffer.wrap("value".getBytes(UTF_8)),
                        Entry.stamp(marks),
                        List.of(tags))
                .encode();
    }

    private boolean end(String storeKey, LeaseToken token, LeaseEnd end) {
        HeldLease lease = new HeldLease(storeKey, token);
        return store.end(Map.of(lease, end)).get(lease);
    }

    private LeaseToken lease(String storeKey, @Nullable LeaseToken seen) {
        LeaseToken token = LeaseToken.next();
        assertThat(on(store).lease(storeKey, token, seen, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        return token;
    }

    private boolean publish(String storeKey, LeaseToken token, byte[] entry, String... tags) {
        return end(storeKey, token, new LeaseEnd.Publish(entry, LONG, null, List.of(tags)));
    }

    private LeaseToken load(String storeKey, @Nullable LeaseToken seen, String... tags) {
        LeaseToken token = lease(storeKey, seen);
        assertThat(publish(storeKey, token, entry(token, tags), tags)).isTrue();
        return token;
    }

    /** Returns what is left of the stored entry for a process that has read it. */
    final @Nullable Entry left(String storeKey) {
        return under(marks, on(store).read(storeKey));
    }

    static @Nullable Entry under(Marks marks, byte @Nullable [] stored) {
        Entry entry = stored == null ? null : Entry.decode(stored);
        return entry == null ? null : entry.under(marks);
    }

    @Test
    @Tag("essential")
    void removalOfATagLeavesAllOtherEntries() {
        load(key, null, "a", "b");
        load(cache + ":2", null, "b");
        load(cache + ":3", null);

        assertThat(change(true, "a")).isTrue();

        assertThat(left(key)).isNull();
        assertThat(left(cache + ":2")).isNotNull();
        assertThat(left(cache + ":3")).isNotNull();
        change(true, "b");
        assertThat(left(cache + ":2")).isNull();
        assertThat(left(cache + ":3")).isNotNull();
    }

    @Test
    void whatIsLoadedAfterwardsIsThere() {
        LeaseToken before = load(key, null, "a");
        change(true, "a");

        load(key, on(store).read(key) == null ? null : before, "a");

        assertThat(left(key)).isNotNull();
        change(true, "a");
        assertThat(left(key)).isNull();
    }

    @Test
    void expiryOfATagLeavesStaleEntries() {
        load(key, null, "a");
        load(cache + ":2", null, "b");

        assertThat(change(false, "a")).isTrue();

        assertThat(left(key).softExpiryMillis()).isZero();
        assertThat(left(key).tags()).containsExactly("a");
        assertThat(left(cache + ":2").softExpiryMillis()).isPositive();
        change(true, "a");
        assertThat(left(key)).isNull();
    }

    @ForEach
    void loadFromBeforeIsNotStoredIfItsValueHasTheTag(boolean removes) {
        LeaseToken tagged = lease(key, null);
        LeaseToken other = lease(cache + ":2", null);
        byte[] entry = entry(tagged, "b", "a");
        byte[] ofOther = entry(other, "b");

        change(removes, "a");

        assertThat(on(store).lease(key, LeaseToken.next(), null, LONG))
                .as("nobody knows its tags")
                .isInstanceOf(LeaseAttempt.Held.class);
        assertThat(publish(cache + ":2", other, ofOther, "b")).isTrue();
        assertThat(left(cache + ":2").softExpiryMillis()).isPositive();
        assertThat(publish(key, tagged, entry, "b", "a")).isEqualTo(!endsLeases());
        Entry left = left(key);
        assertThat(left == null || (!removes && left.softExpiryMillis() == 0)).isTrue();
        if (endsLeases()) {
            lease(key, null);
        }
    }

    @Test
    void leaseFromAfterwardsIsThatOfAValueThatIsStored() {
        change(true, "a");
        LeaseToken token = lease(key, null);
        assertThat(store.renew(List.of(new HeldLease(key, token)), LONG.multipliedBy(2)))
                .isEmpty();
        on(store).lease(key, LeaseToken.next(), null, LONG); // somebody waits

        assertThat(publish(key, token, entry(token, "a"), "a")).isTrue();

        assertThat(left(key)).isNotNull();
    }

    @Test
    void extensionAndUnstoredResultFromBeforeAreRefused() {
        LeaseToken seen = load(key, null, "a");
        LeaseToken old = lease(key, seen);
        byte[] head = Entry.headOf(entry(old, "a"));
        LeaseToken unstored = lease(cache + ":2", null);

        change(true, "a");

        if (endsLeases()) {
            assertThat(end(key, old, new LeaseEnd.Extend(seen, head, LONG, List.of("a"))))
                    .isFalse();
            assertThat(end(cache + ":2", unstored, new LeaseEnd.Pass(null, LONG, false, List.of("a"))))
                    .isFalse();
            lease(cache + ":2", null);
        }
        assertThat(left(key)).isNull();
    }

    @Test
    void extensionOfAnotherTagIsMade() {
        LeaseToken seen = load(key, null, "a");
        change(true, "b");
        LeaseToken token = lease(key, seen);
        change(true, "b");

        assertThat(end(key, token, new LeaseEnd.Extend(seen, Entry.headOf(entry(token, "a")), LONG, List.of("a"))))
                .isTrue();

        assertThat(left(key).token()).isEqualTo(token);
    }

    @Test
    void putOfAProcessThatDoesNotKnowOfItIsThere() {
        byte[] entry = entry(LeaseToken.next(), "a");
        change(true, "a");

        if (endsLeases()) {
            on(store).put(key, entry, LONG);
            assertThat(left(key)).isNotNull();
        }
        change(true, "a");
        assertThat(left(key)).isNull();
    }

    @ForEach
    void putWithATagBoundToAnEarlierLookUpIsRefused(boolean removes) {
        LeaseToken found = load(key, null, "b");
        KeyFence ofEntry = new KeyFence(key, Entry.decode(on(store).read(key)).fence(Entry.stamp(marks)));
        String absent = cache + ":2";
        LeaseToken given = ((LeaseAttempt.Fence) on(store).fence(absent, null, LONG)).token();
        KeyFence ofNothing = new KeyFence(absent, new Fence(given, null, Entry.stamp(marks)));

        change(removes, "a");

        if (endsLeases()) {
            assertThat(put(ofEntry, "a")).isFalse();
            assertThat(put(ofNothing, "b", "a")).isFalse();
        }
        assertThat(left(key).token()).isEqualTo(found);
        assertThat(put(ofEntry, "b")).isTrue();
        assertThat(put(ofNothing, "b")).isTrue();
        assertThat(left(absent)).isNotNull();
    }

    private boolean put(KeyFence fence, String... tags) {
        byte[] entry = entry(LeaseToken.next(), tags);
        Change put = new Change.Put(entry, LONG, Entry.STAMP_OFFSET, fence.fence(), List.of(tags));
        return store.change(fence.key(), put, store.patience());
    }

    @Test
    void removalOfAllEndsWhatTagsHaveLeft() {
        load(key, null, "a");
        change(true, "b");

        store.change(cache, new Change.OfAll(new Change.Invalidate(), Set.of(), false), store.patience());

        assertThat(left(key)).isNull();
        byte[] stored = on(store).read(key);
        load(key, stored == null ? null : LeaseToken.startOf(stored), "b");
        assertThat(left(key)).isNotNull();
        change(true, "b");
        assertThat(left(key)).isNull();
    }

    @Test
    void tagsOfOtherCachesAreOthers() {
        String other = cache + "-other";
        Marks others = Marks.of(store.ability(Marks.Keeper.class), other);
        load(other + ":1", null, "a");

        change(true, "a");

        assertThat(Entry.decode(on(store).read(other + ":1")).under(others)).isNotNull();
    }

    @Test
    void anyTextCanBeATag() {
        for (String tag : List.of("*", "R", "E", " ", "ü€𝄞", "line\nfeed", "\0", "a".repeat(64))) {
            byte[] stored = on(store).read(key);
            load(key, stored == null ? null : LeaseToken.startOf(stored), tag);
            assertThat(left(key)).as(tag).isNotNull();

            change(true, tag);

            assertThat(left(key)).as(tag).isNull();
        }
    }
}
