package io.stampedeguard.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each fault, and what it leaves in the store behind. {@code FaultyStoreContractTest} shows that without faults there is none. */
final class FaultyStoreTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final byte[] ENTRY = new byte[LeaseToken.BYTES];

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore behind = InMemoryStore.create(time);
    private final FaultyStore store = FaultyStore.over(behind, time);

    private static byte @Nullable [] read(CacheStore store, String key) {
        return store.shared().read(key, LONG);
    }

    private static Map<String, byte @Nullable []> readAll(CacheStore store, List<String> keys) {
        return store.shared().read(keys, LONG);
    }

    private static void put(CacheStore store, String key, byte[] entry, Duration ttl) {
        store.shared().change(key, new Change.Put(entry, ttl, 0, null, List.of()), LONG);
    }

    private static void invalidate(CacheStore store, String key) {
        store.shared().change(key, new Change.Invalidate(), LONG);
    }

    @Test
    void ignoredCallHasNeitherEffectNorAnswer() {
        store.ignoreChanges();

        assertThatThrownBy(() -> put(store, "p:1", ENTRY, LONG))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.isRefusal()).isFalse())
                .hasMessageContaining("PUT of p:1 was ignored");
        assertThat(store.toString()).contains("PUT ignored");
        assertThat(read(store, "p:1")).isNull();

        put(store.heal(), "p:1", ENTRY, LONG);
        assertThat(read(store, "p:1")).isEqualTo(ENTRY);
    }

    @Test
    void refusedCallHasNoEffect() {
        store.refuse(Call.PUT);

        assertThatThrownBy(() -> put(store, "p:1", ENTRY, LONG))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("PUT of p:1 was refused");
        assertThat(read(store, "p:1")).isNull();
        assertThat(store.requests(Call.PUT)).isEqualTo(1);
        assertThat(store.faults()).isEqualTo(1);

        put(store.heal(), "p:1", ENTRY, LONG);
        assertThat(read(store, "p:1")).isEqualTo(ENTRY);
    }

    @Test
    void callWhoseAnswerIsLostHasItsEffect() {
        store.loseAnswers(Call.PUT);

        assertThatThrownBy(() -> put(store, "p:1", ENTRY, LONG))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("PUT of p:1 was executed, but its answer was lost");
        assertThat(read(store, "p:1")).isEqualTo(ENTRY);
    }

    @Test
    void outageFailsEverythingAndKeepsEverything() {
        put(store, "p:1", ENTRY, LONG);
        store.beginOutage();

        assertThatThrownBy(() -> read(store, "p:1")).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> readAll(store, List.of("p:1", "p:2"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() ->
                        store.shared().lease(List.of(new LeaseRequest("p:1", LeaseToken.next(), null)), LONG, LONG))
                .isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> invalidate(store, "p:1")).isInstanceOf(StoreException.class);

        store.endOutage();
        assertThat(read(store, "p:1")).isEqualTo(ENTRY);
    }

    @Test
    void oneProcessCanBeCutOff() {
        FaultyStore other = FaultyStore.over(behind, time);
        store.beginOutage();
        put(other, "p:1", ENTRY, LONG);

        assertThat(read(other, "p:1")).isEqualTo(ENTRY);
        assertThatThrownBy(() -> read(store, "p:1")).isInstanceOf(StoreException.class);
    }

    @Test
    void latencyPassesOnTheClockOfTheStore() throws Exception {
        put(store, "p:1", ENTRY, LONG);
        store.latency(Duration.ofSeconds(1), Call.READ);
        CompletableFuture<byte[]> read = new CompletableFuture<>();
        new Thread(() -> read.complete(read(store, "p:1"))).start();
        time.awaitWaiting(1);
        assertThat(read).isNotDone();
        time.advance(Duration.ofSeconds(1));

        assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo(ENTRY);
    }

    @Test
    void keysOfOneRequestFailIndependently() {
        List<String> keys = IntStream.range(0, 100).mapToObj(i -> "p:" + i).toList();
        store.seed(1).refuse(0.5, Call.READ);

        assertThat(readAll(store, keys).keySet()).hasSizeBetween(10, 90);
        assertThat(store.requests()).isEqualTo(100);
    }

    @Test
    void seedRepeatsRandomFaultsWhateverTheOrderOfKeys() {
        store.loseAnswers(0.3).refuse(0.3);
        List<String> keys = IntStream.range(0, 50).mapToObj(i -> "p:" + i).toList();
        List<String> reversed = new ArrayList<>(keys);
        Collections.reverse(reversed);

        Map<String, byte[]> first = readAll(store.seed(7), keys);
        Map<String, byte[]> again = readAll(store.seed(7), reversed);
        Map<String, byte[]> others = readAll(store.seed(8), keys);

        assertThat(again.keySet()).isEqualTo(first.keySet()).isNotEqualTo(others.keySet());
    }

    @Test
    void seedAndFaultsAreShownInTextAndFailures() {
        store.seed(42).refuse(Call.READ).latency(Duration.ZERO, Call.READ).loseAnswers(0.25, Call.PUT);

        assertThat(store)
                .hasToString("FaultyStore[seed 42; READ refused; PUT answers lost with probability 0.25;"
                        + " 0 requests, 0 faults]");
        assertThatThrownBy(() -> read(store, "p:1")).hasMessageContaining("seed 42");
        assertThat(store.beginOutage().toString()).contains("outage");
    }

    @Test
    void renewalFailsForAllLeasesOrNone() {
        HeldLease lease = new HeldLease("p:1", LeaseToken.next());
        assertThat(store.shared().renew(List.of(lease), LONG)).containsExactly(lease);
        store.refuse(Call.RENEW);

        assertThatThrownBy(() -> store.shared().renew(List.of(lease), LONG)).hasMessageContaining("RENEW of p:1");
    }

    @Test
    void emptyRequestIsNoFault() {
        assertThat(readAll(store, List.of())).isEmpty();
        assertThat(readAll(store.beginOutage(), List.of())).isEmpty();
    }

    @Test
    void nobodyIsNotifiedDuringAnOutage() {
        List<String> heard = new ArrayList<>();
        Watch watch = requireNonNull(store.shared().ability(InvalidationEvents.class))
                .watchChanges("p", List.of(new ChangesHeard(heard)));
        invalidate(behind, "p:1");
        store.beginOutage();
        invalidate(behind, "p:2");
        store.endOutage();
        invalidate(behind, "p:3");
        watch.close();
        store.beginOutage();

        heard.removeIf("complete"::equals);
        assertThat(heard).containsExactly("listening", "p:1", "disconnected", "listening", "p:3");
    }

    @Test
    void waitingCallersAreNotNotifiedDuringAnOutage() {
        List<Object> heard = new ArrayList<>();
        requireNonNull(store.shared().ability(LeaseNotifications.class))
                .watch("p:1", new LeaseNotifications.Listener() {
                    @Override
                    public void listening() {
                        heard.add("listening");
                    }

                    @Override
                    public void onNotice(LeaseNotifications.Notice notice) {
                        heard.add(notice);
                    }
                });
        store.beginOutage();
        invalidate(behind, "p:1");
        store.endOutage();
        invalidate(behind, "p:1");

        assertThat(heard).containsExactly("listening", "listening", new LeaseNotifications.Notice.Freed());
    }

    @Test
    void sharesAndLatenciesAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> store.refuse(1.5));
        assertThatIllegalArgumentException().isThrownBy(() -> store.loseAnswers(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> store.latency(Duration.ofMillis(-1)));
    }

    private record ChangesHeard(List<String> heard) implements InvalidationEvents.Listener {
        @Override
        public void listening() {
            heard.add("listening");
        }

        @Override
        public void completeUpTo(LongSupplier ageNanos) {
            heard.add("complete");
        }

        @Override
        public void changed(String key) {
            heard.add(key);
        }

        @Override
        public void changedAll() {
            heard.add("all");
        }

        @Override
        public void disconnected() {
            heard.add("disconnected");
        }
    }
}
