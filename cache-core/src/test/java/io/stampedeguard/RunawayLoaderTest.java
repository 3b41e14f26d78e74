package io.stampedeguard;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loader that overflows the stack leaves nothing behind, and nobody waiting. */
final class RunawayLoaderTest {
    private static final int LAST = 10;

    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .loadTimeout(ofSeconds(30))
            .waitTimeout(ofSeconds(10))
            .build();

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));
    private final Callers callers = new Callers();
    private final StampedeGuardedCache<Integer, String> cache = StampedeGuardedCache.<Integer, String>builder("runaway")
            .store(store)
            .codec(StringCodec.of())
            .policy(POLICY)
            .timeSource(time)
            .build();

    @AfterEach
    void close() {
        Fleet.closeAtOnce(cache);
        callers.close();
    }

    /** Requests key after key, and overflows the stack in the loader of the last one. */
    private String next(int key) {
        return key == LAST ? String.valueOf(overflow(0)) : cache.get(key + 1, this::next);
    }

    private int overflow(int depth) {
        return depth < 0 ? depth : overflow(depth + 1) + 1;
    }

    private void runAway() {
        assertThatThrownBy(() -> cache.get(0, this::next)).isInstanceOf(StackOverflowError.class);
    }

    @Test
    void callersOfALoaderThatOverflowsTheStackDoNotWait() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        List<Callers.Call<String>> calls = callers.call(
                8,
                () -> cache.get(0, key -> {
                    gate.await();
                    return next(key);
                }));
        time.awaitWaiting(7);
        gate.countDown();

        int ofTheLeader = 0;
        for (Callers.Call<String> call : calls) {
            Throwable failure = call.failure();
            if (failure instanceof LoadException) {
                assertThat(failure).hasRootCauseInstanceOf(StackOverflowError.class);
            } else {
                assertThat(failure).isInstanceOf(StackOverflowError.class);
                ofTheLeader++;
            }
        }
        assertThat(ofTheLeader).isOne();
    }

    @Test
    void noLeaseOutlivesTheOverflowAndEachKeyCanBeLoadedAfterwards() throws Exception {
        runAway();

        int renewals = store.count(Call.RENEW);
        for (int second = 0; second < 40; second++) {
            time.advance(ofSeconds(1));
        }

        assertThat(store.count(Call.RENEW)).isEqualTo(renewals);
        for (int key = 0; key <= LAST; key++) {
            assertThat(store.inspect("runaway:" + key).lease())
                    .as("key %d", key)
                    .isInstanceOf(LeaseAttempt.Granted.class);
            int each = key;
            assertThat(callers.call(() -> cache.get(each, any -> "loaded")).result())
                    .isEqualTo("loaded");
        }
    }
}
