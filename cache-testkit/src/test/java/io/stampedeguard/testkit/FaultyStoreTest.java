package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.StoreException;
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
import org.junit.jupiter.api.Test;

/** Each fault, and what it leaves in the store behind. {@code FaultyStoreContractTest} shows that without faults there is none. */
final class FaultyStoreTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final byte[] ENTRY = new byte[LeaseToken.BYTES];

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore behind = InMemoryStore.create(time);
    private final FaultyStore store = FaultyStore.over(behind, time);

    @Test
    void refusedCallHasNoEffect() {
        store.refuse(Call.PUT);

        assertThatThrownBy(() -> store.put("p:1", ENTRY, LONG))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("PUT of p:1 was refused");
        assertThat(store.read("p:1")).isNull();
        assertThat(store.requests(Call.PUT)).isEqualTo(1);
        assertThat(store.faults()).isEqualTo(1);

        store.heal().put("p:1", ENTRY, LONG);
        assertThat(store.read("p:1")).isEqualTo(ENTRY);
    }

    @Test
    void callWhoseAnswerIsLostHasItsEffect() {
        store.loseAnswers(Call.PUT);

        assertThatThrownBy(() -> store.put("p:1", ENTRY, LONG))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("PUT of p:1 was executed, but its answer was lost");
        assertThat(store.read("p:1")).isEqualTo(ENTRY);
    }

    @Test
    void outageFailsEverythingAndKeepsEverything() {
        store.put("p:1", ENTRY, LONG);
        store.beginOutage();

        assertThatThrownBy(() -> store.read("p:1")).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.readAll(List.of("p:1", "p:2"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.lease("p:1", LeaseToken.next(), null, LONG))
                .isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.invalidate("p:1")).isInstanceOf(StoreException.class);

        store.endOutage();
        assertThat(store.read("p:1")).isEqualTo(ENTRY);
    }

    @Test
    void oneProcessCanBeCutOff() {
        FaultyStore other = FaultyStore.over(behind, time);
        store.beginOutage();
        other.put("p:1", ENTRY, LONG);

        assertThat(other.read("p:1")).isEqualTo(ENTRY);
        assertThatThrownBy(() -> store.read("p:1")).isInstanceOf(StoreException.class);
    }

    @Test
    void latencyPassesOnTheClockOfTheStore() throws Exception {
        store.put("p:1", ENTRY, LONG);
        store.latency(Duration.ofSeconds(1), Call.READ);
        CompletableFuture<byte[]> read = new CompletableFuture<>();
        new Thread(() -> read.complete(store.read("p:1"))).start();
        time.awaitWaiting(1);
        assertThat(read).isNotDone();
        time.advance(Duration.ofSeconds(1));

        assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo(ENTRY);
    }

    @Test
    void keysOfOneRequestFailIndependently() {
        List<String> keys = IntStream.range(0, 100).mapToObj(i -> "p:" + i).toList();
        store.seed(1).refuse(0.5, Call.READ);

        assertThat(store.readAll(keys).keySet()).hasSizeBetween(10, 90);
        assertThat(store.requests()).isEqualTo(100);
    }

    @Test
    void seedRepeatsRandomFaultsWhateverTheOrderOfKeys() {
        store.loseAnswers(0.3).refuse(0.3);
        List<String> keys = IntStream.range(0, 50).mapToObj(i -> "p:" + i).toList();
        List<String> reversed = new ArrayList<>(keys);
        Collections.reverse(reversed);

        Map<String, byte[]> first = store.seed(7).readAll(keys);
        Map<String, byte[]> again = store.seed(7).readAll(reversed);
        Map<String, byte[]> others = store.seed(8).readAll(keys);

        assertThat(again.keySet()).isEqualTo(first.keySet()).isNotEqualTo(others.keySet());
    }

    @Test
    void seedAndFaultsAreShownInTextAndFailures() {
        store.seed(42).refuse(Call.READ).latency(Duration.ZERO, Call.READ).loseAnswers(0.25, Call.PUT);

        assertThat(store)
                .hasToString("FaultyStore[seed 42; READ refused; PUT answers lost with probability 0.25;"
                        + " 0 requests, 0 faults]");
        assertThatThrownBy(() -> store.read("p:1")).hasMessageContaining("seed 42");
        assertThat(store.beginOutage().toString()).contains("outage");
    }

    @Test
    void renewalFailsForAllLeasesOrNone() {
        HeldLease lease = new HeldLease("p:1", LeaseToken.next());
        assertThat(store.renew(List.of(lease), LONG)).containsExactly(lease);
        store.refuse(Call.RENEW);

        assertThatThrownBy(() -> store.renew(List.of(lease), LONG)).hasMessageContaining("RENEW of p:1");
    }

    @Test
    void emptyRequestIsNoFault() {
        assertThat(store.readAll(List.of())).isEmpty();
        assertThat(store.beginOutage().readAll(List.of())).isEmpty();
    }

    @Test
    void nobodyIsNotifiedDuringAnOutage() {
        List<String> heard = new ArrayList<>();
        InvalidationEvents.Watch watch = store.watchChanges("p", new ChangesHeard(heard));
        behind.invalidate("p:1");
        store.beginOutage();
        behind.invalidate("p:2");
        store.endOutage();
        behind.invalidate("p:3");
        watch.close();
        store.beginOutage();

        heard.removeIf("complete"::equals);
        assertThat(heard).containsExactly("listening", "p:1", "disconnected", "listening", "p:3");
    }

    @Test
    void waitingCallersAreNotNotifiedDuringAnOutage() {
        List<Object> heard = new ArrayList<>();
        store.watch("p:1", new LeaseNotifications.Listener() {
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
        behind.invalidate("p:1");
        store.endOutage();
        behind.invalidate("p:1");

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
