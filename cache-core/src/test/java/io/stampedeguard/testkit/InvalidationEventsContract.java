package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every shared store must do that reports changes, as an {@link InvalidationEvents}. A store's test has it as a
 * nested class beside the {@link SharedStoreContract}; each test has a cache of its own.
 */
public abstract class InvalidationEventsContract {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final List<String> ODD = List.of(
            "", " ", "a:b", "{", "}", "%", "%7B", "}:lease", "中文", "\ud83d\ude00", "\ud83d", "%uD83D", "\n", "\u0000");

    private final String cache =
            "changes-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    private final String key = cache + ":1";
    private final List<Watch> watches = new ArrayList<>();
    private SharedStore store;
    private SharedStore other;

    @BeforeEach
    void takeStores() {
        store = store().shared();
        other = other().shared();
    }

    @AfterEach
    void closeWatches() {
        watches.forEach(Watch::close);
    }

    /** Returns the system's clock with timers that run twenty times as early: a store in memory proves more often. */
    protected static TimeSource hurried() {
        return new ForwardingTime(TimeSource.system()) {
            @Override
            public Timer schedule(long nanos, Runnable task) {
                return super.schedule(nanos / 20, task);
            }
        };
    }

    /** Returns the store under test, which is also an {@link InvalidationEvents}; called once for each test. */
    protected abstract CacheStore store();

    /** Returns a store over the same entries, as in another process; called once for each test. */
    protected abstract CacheStore other();

    /** Watches a cache; returns when no change is missed any more. */
    private ChangesEar listening(String to) {
        ChangesEar ear = new ChangesEar();
        watches.add(KeyCalls.changes(store).watchChanges(to, List.of(ear)));
        ear.awaitListening(1);
        return ear;
    }

    @Test
    @Tag("essential")
    void whoeverPutsInvalidatesOrExpiresIsHeard() {
        List<Runnable> changes = List.of(
                () -> on(other).put(key, entry(), LONG),
                () -> on(other).expire(key, 0, new byte[1]),
                () -> on(other).invalidate(key),
                () -> on(other).invalidate(key), // that no longer has an entry
                () -> other.invalidate(List.of(cache + ":2", key), LONG),
                () -> on(store).put(key, entry(), LONG));
        for (Runnable change : changes) {
            ChangesEar ear = listening(cache);

            change.run();

            ear.awaitChanged(key);
            assertThat(ear.words().get(0)).isEqualTo("listening");
        }
    }

    @Test
    @Tag("essential")
    void changeOfAllEntriesIsHeardInItsCacheOnly() {
        ChangesEar another = listening(cache + "-2");
        for (Change each : List.of(new Change.Invalidate(), new Change.Expire(0, new byte[1]))) {
            ChangesEar ear = listening(cache);

            other.change(cache, new Change.OfAll(each, Set.of(), false), other.patience());

            Fleet.until(() -> ear.count("changed all") > 0);
        }
        another.awaitAll();
        assertThat(another.words()).containsExactly("listening");
    }

    @Test
    @Tag("essential")
    void theKeyIsToldAsItWasGiven() {
        ChangesEar ear = listening(cache);
        for (String odd : ODD) {
            String oddKey = cache + ":" + odd;
            change(oddKey);
            ear.awaitChanged(oddKey);
        }
        ear.awaitAll();
        assertThat(changes(ear))
                .hasSameElementsAs(
                        ODD.stream().map(odd -> "changed " + cache + ":" + odd).toList());
    }

    private static List<String> changes(ChangesEar ear) {
        return ear.words().stream().filter(word -> word.startsWith("changed")).toList();
    }

    @Test
    void otherCachesAreNotHeardWhateverTheirNames() {
        ChangesEar ear = listening(cache);
        ChangesEar another = listening(cache + "-2");
        for (String name : List.of(cache + "-2", cache.substring(0, cache.length() - 1), cache + ".x", "x" + cache)) {
            change(name + ":1");
        }
        another.awaitChanged(cache + "-2:1");
        ear.awaitAll();
        assertThat(changes(ear)).isEmpty();
        assertThat(changes(another)).containsOnly("changed " + cache + "-2:1");
    }

    @Test
    @Tag("essential")
    void whatWasChangedBeforeAProvenMomentHasBeenHeardByThen() {
        ChangesEar ear = listening(cache);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 50; i++) {
                change(cache + ":" + round + "-" + i);
            }
            long done = System.nanoTime();
            ear.awaitAll();
            ChangesEar.Proof proof = ear.proofs().stream()
                    .filter(each -> each.nanos() - done >= 0)
                    .findFirst()
                    .orElseThrow();
            List<String> before = ear.words().subList(0, proof.wordsBefore());
            for (int i = 0; i < 50; i++) {
                assertThat(before).contains("changed " + cache + ":" + round + "-" + i);
            }
        }
    }

    @Test
    void proofsComeAgainAndAgain() {
        ChangesEar ear = listening(cache);
        Fleet.until(() -> ear.provenNanos() > 2_000_000_000L);
        assertThat(ear.proofs()).allMatch(proof -> proof.ageNanos() >= 0 && proof.wordsBefore() > 0);
    }

    @Test
    void whoReadsOnceAChangeIsToldSeesIt() throws InterruptedException {
        ChangesEar ear = listening(cache);
        for (int round = 0; round < 100; round++) {
            String roundKey = cache + ":" + round;
            byte[] entry = entry();
            long gaps = ear.count("disconnected");
            Thread writer = new Thread(() -> on(other).put(roundKey, entry, LONG));
            writer.start();
            while (!ear.heard(roundKey) && ear.count("disconnected") == gaps) { // a slow machine may miss it in a gap
                Thread.onSpinWait();
            }
            if (ear.heard(roundKey)) {
                assertThat(on(store).read(roundKey)).isEqualTo(entry);
            }
            writer.join();
            ear.awaitListening((int) ear.count("disconnected") + 1);
        }
    }

    @Test
    void changesReachAllOpenWatchesAndNoClosedOne() {
        ChangesEar stays = listening(cache);
        ChangesEar goes = listening(cache);
        change(key);
        stays.awaitChanged(key);
        goes.awaitChanged(key);
        watches.remove(watches.size() - 1).close();
        stays.awaitAll();
        List<String> last = List.copyOf(goes.words());
        int lastProofs = goes.proofs().size();

        change(cache + ":2");

        stays.awaitChanged(cache + ":2");
        stays.awaitAll();
        assertThat(goes.words()).isEqualTo(last);
        assertThat(goes.proofs()).hasSize(lastProofs);
    }

    @Test
    void aCacheCanBeWatchedAgain() {
        for (int round = 1; round <= 20; round++) {
            ChangesEar ear = listening(cache);
            change(key);
            ear.awaitChanged(key);
            watches.remove(0).close();
        }
    }

    @Test
    void aCacheCanBeWatchedAgainWhileAnotherOneIsWatched() {
        ChangesEar stays = listening(cache + "-2");
        for (int round = 1; round <= 20; round++) {
            ChangesEar ear = listening(cache);
            change(key);
            ear.awaitChanged(key);
            watches.remove(1).close();
        }
        change(cache + "-2:1");
        stays.awaitChanged(cache + "-2:1");
    }

    /** Like another process. An absent entry cannot be changed in all ways. */
    private void change(String changed) {
        on(other).put(changed, entry(), LONG);
    }

    private static byte[] entry() {
        return LeaseToken.next().toBytes();
    }
}
