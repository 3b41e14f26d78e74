package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.testkit.WithoutNotifications;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Two versions of an application side by side, as in a rolling deployment: neither overwrites what the other can read. */
final class MixedCodecsTest {
    private static final int PROCESSES = 8;
    private static final CachePolicy POLICY =
            CachePolicy.builder().softTtl(ofSeconds(60)).jitter(0).build();

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));
    private final RecordingListener listener = new RecordingListener();

    @AutoClose
    private final Callers callers = new Callers();

    private final Origin origin = new Origin("one");

    /** Values with a prefix, without which they cannot be decoded. */
    private record Marked(CodecIdentity identity, String mark) implements ValueCodec<String> {
        @Override
        public byte[] encode(String value) throws Exception {
            return StringCodec.of().encode(mark + value);
        }

        @Override
        public String decode(ByteBuffer payload) {
            String text = StringCodec.of().decode(payload);
            if (!text.startsWith(mark)) {
                throw new IllegalArgumentException("not marked " + mark);
            }
            return text.substring(mark.length());
        }
    }

    private static ValueCodec<String> version(int version) {
        return new Marked(new CodecIdentity("marked", version), "v" + version + ":");
    }

    private StampedeGuardedCache<String, String> cache(ValueCodec<String> codec) {
        return cache(codec, POLICY, store);
    }

    private StampedeGuardedCache<String, String> cache(
            ValueCodec<String> codec, CachePolicy policy, SharedStore shared) {
        return StampedeGuardedCache.<String, String>builder("mixed")
                .store(shared)
                .codec(codec)
                .policy(policy)
                .listener(listener)
                .timeSource(time)
                .build();
    }

    @Test
    void twoSidesDoNotOverwriteEachOther() {
        try (StampedeGuardedCache<String, String> one = cache(new Marked(new CodecIdentity("a", 1), "a:"));
                StampedeGuardedCache<String, String> other = cache(new Marked(new CodecIdentity("b", 1), "b:"))) {
            for (int turn = 0; turn < 500; turn++) {
                assertThat(one.get("k", origin::read)).isEqualTo("one");
                assertThat(other.get("k", origin::read)).isEqualTo("one");
                time.advance(ofMillis(10));
            }

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1);
            assertThat(origin.reads()).as("of 1,000 gets in 5 s").isLessThanOrEqualTo(1 + 3);
            assertThat(listener.count(EventType.STORE_INCOMPATIBLE)).isPositive();
        }
    }

    @Test
    void codecsWithoutAnIdentityDoNotFightEither() {
        try (StampedeGuardedCache<String, String> one = cache(new Marked(CodecIdentity.NONE, "a:"));
                StampedeGuardedCache<String, String> other = cache(new Marked(CodecIdentity.NONE, "b:"))) {
            for (int turn = 0; turn < 500; turn++) {
                assertThat(one.get("k", origin::read)).isEqualTo("one");
                assertThat(other.get("k", origin::read)).isEqualTo("one");
                time.advance(ofMillis(10));
            }

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1);
            assertThat(origin.reads()).isLessThanOrEqualTo(1 + 3);
        }
    }

    @Test
    void onlyTheLaterVersionReplacesEntriesOfTheOther() {
        try (StampedeGuardedCache<String, String> old = cache(version(1));
                StampedeGuardedCache<String, String> young = cache(version(2))) {
            old.get("k", origin::read);
            young.get("k", origin::read);
            byte[] stored = on(store).read("mixed:k");
            old.get("k", origin::read);

            assertThat(Entry.decode(stored).codec().version()).isEqualTo(2);
            assertThat(on(store).read("mixed:k")).isEqualTo(stored);
            assertThat(origin.reads()).isEqualTo(3);
        }
    }

    @Test
    void entryOfANewerFormatIsLeftAsItIs() {
        try (StampedeGuardedCache<String, String> cache = cache(version(1))) {
            cache.get("k", origin::read);
            byte[] future = on(store).read("mixed:k");
            future[18] = 4;
            on(store).put("mixed:k", future.clone(), ofSeconds(60));

            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(cache.get("k", origin::read)).isEqualTo("one");

            assertThat(on(store).read("mixed:k")).isEqualTo(future);
            assertThat(origin.reads()).isEqualTo(2);
        }
    }

    @Test
    void valueHeldAsideAnswersEachFormIfTheLoaderFails() {
        try (StampedeGuardedCache<String, String> old = cache(version(1));
                StampedeGuardedCache<String, String> young = cache(version(2))) {
            young.get("k", origin::read);
            old.get("k", origin::read);
            time.advance(ofSeconds(30));
            origin.fail(new IOException("down"));

            assertThat(old.get("k", origin::read)).isEqualTo("one");
            assertThat(old.getAll(List.of("k"), keys -> Map.of("k", origin.read("k"))))
                    .containsEntry("k", "one");
            assertThat(old.getAsync("k", new AsyncOrigin(origin)::read).join()).isEqualTo("one");
        }
    }

    @Test
    void expiryEndsAValueHeldAsideAtOnce() {
        try (StampedeGuardedCache<String, String> old = cache(version(1));
                StampedeGuardedCache<String, String> young = cache(version(2))) {
            young.get("k", origin::read);
            old.get("k", origin::read);
            origin.write("two");
            young.put("k", "two");
            old.expire("k");

            assertThat(old.get("k", origin::read)).isEqualTo("two");
        }
    }

    @Test
    void callersOfTheSideThatDoesNotStoreShareALoad() throws Exception {
        try (StampedeGuardedCache<String, String> young = cache(version(2));
                StampedeGuardedCache<String, String> one = cache(version(1));
                StampedeGuardedCache<String, String> other = cache(version(1))) {
            young.get("k", origin::read);
            origin.close();
            Callers.Call<String> leader = callers.call(() -> one.get("k", origin::read));
            until(() -> origin.running() == 1);
            Callers.Call<String> waiter = callers.call(() -> other.get("k", origin::read));
            time.awaitWaiting(1);

            origin.open();

            assertThat(leader.result()).isEqualTo("one");
            assertThat(waiter.result()).isEqualTo("one");
            assertThat(origin.reads()).isEqualTo(2);
        }
    }

    /** Why those of the old side that wait are not shown what one of them has loaded. */
    private enum NotShown {
        THEY_POLL,
        IT_IS_TOO_LARGE
    }

    @ForEach
    void callersOfTheSideThatDoesNotStoreDoNotQueue(NotShown why) throws Exception {
        CachePolicy policy = why == NotShown.THEY_POLL
                ? POLICY
                : POLICY.toBuilder().maxPayloadBytes(2).build();
        SharedStore shared = why == NotShown.THEY_POLL ? WithoutNotifications.of(store) : store;
        List<StampedeGuardedCache<String, String>> old = new ArrayList<>();
        try (StampedeGuardedCache<String, String> young = cache(version(2))) {
            for (int process = 0; process < PROCESSES; process++) {
                old.add(cache(version(1), policy, shared));
            }
            young.get("k", origin::read);
            byte[] stored = on(store).read("mixed:k");
            CountDownLatch first = origin.close();
            List<Callers.Call<String>> calls = new ArrayList<>();
            calls.add(callers.call(() -> old.get(0).get("k", origin::read)));
            until(() -> origin.running() == 1);
            for (StampedeGuardedCache<String, String> each : old.subList(1, PROCESSES)) {
                calls.add(callers.call(() -> each.get("k", origin::read)));
            }
            time.awaitWaiting(PROCESSES - 1);

            origin.close();
            first.countDown();
            calls.get(0).result();
            if (why == NotShown.THEY_POLL) {
                time.advance(ofMillis(250));
            }
            until(() -> origin.running() == PROCESSES - 1);
            origin.open();

            assertThat(Callers.results(calls)).containsOnly("one");
            assertThat(origin.reads()).as("with the young side's").isEqualTo(1 + PROCESSES);
            assertThat(on(store).read("mixed:k")).isEqualTo(stored);
        } finally {
            origin.open();
            old.forEach(StampedeGuardedCache::close);
        }
    }

    @Test
    void sideThatStoresServesItsStaleEntryUntilItCanReloadIt() {
        try (StampedeGuardedCache<String, String> old = cache(version(1));
                StampedeGuardedCache<String, String> young = cache(version(2))) {
            young.get("k", origin::read);
            time.advance(ofSeconds(60));
            old.get("k", origin::read);
            origin.write("two");

            assertThat(young.get("k", origin::read)).isEqualTo("one");
            until(() -> young.reloading() == 0);
            assertThat(origin.reads()).as("it is not reloaded: old has").isEqualTo(2);

            time.advance(POLICY.leaseTtl());
            assertThat(young.get("k", origin::read)).isEqualTo("one");
            until(() -> listener.count(EventType.LOAD_STORED) == 2);
            assertThat(young.get("k", origin::read)).isEqualTo("two");
        }
    }

    @Test
    void sideThatStoresLoadsWhatTheOtherHasJustLoaded() {
        try (StampedeGuardedCache<String, String> old = cache(version(1));
                StampedeGuardedCache<String, String> young = cache(version(2))) {
            young.get("k", origin::read);
            time.advance(ofSeconds(119));
            old.get("k", origin::read);
            origin.write("two");
            time.advance(ofSeconds(1));

            assertThat(young.get("k", origin::read)).isEqualTo("two");
            time.advance(ofSeconds(1));
            assertThat(young.get("k", origin::read)).isEqualTo("two");
            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(2);
        }
    }
}
