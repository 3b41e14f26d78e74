package io.stampedeguard.spring.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Changes by threads that must not block wait in a queue, which has a limit and loses none. */
final class ChangesTest {
    private static StampedeGuardedCache<String, String> cache(String name) {
        return StampedeGuardedCache.<String, String>builder(name)
                .store(InMemoryStore.create())
                .codec(StringCodec.of())
                .build();
    }

    private static void byReactor(Runnable code) {
        Mono.fromRunnable(code).subscribeOn(Schedulers.parallel()).block();
    }

    @Test
    void clearReplacesChangesThatAreTooMany() {
        List<Integer> made = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch mayGoOn = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> first = cache("first");
                StampedeGuardedCache<String, String> second = cache("second");
                Changes changes = new Changes()) {
            first.put("key", "old");
            second.put("key", "old");
            byReactor(() -> {
                changes.run(first, () -> await(mayGoOn));
                for (int i = 0; i < 20_000; i++) {
                    int change = i;
                    changes.run(first, () -> made.add(change));
                }
            });
            mayGoOn.countDown();
            changes.awaitThoseOfThisProcess();

            assertThat(made)
                    .hasSizeBetween(9_999, 10_001)
                    .isSorted(); // the queue may not have begun with the first one
            assertThat(first.getIfPresent("key")).isNull();
            assertThat(second.getIfPresent("key")).isEqualTo("old");
            byReactor(() -> changes.run(first, () -> made.add(-1)));
            changes.awaitThoseOfThisProcess();
            assertThat(made).endsWith(-1);
        }
    }

    @Test
    void changeOfABlockingThreadIsMadeAfterThoseThatWait() throws InterruptedException {
        List<String> made = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch mayGoOn = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> cache = cache("first");
                Changes changes = new Changes()) {
            byReactor(() -> {
                changes.run(cache, () -> await(mayGoOn));
                changes.run(cache, () -> made.add("put"));
            });
            Thread blocking = new Thread(() -> changes.run(cache, () -> made.add("evict")));
            blocking.start();
            untilWaiting(blocking);
            mayGoOn.countDown();
            blocking.join();

            assertThat(made).containsExactly("put", "evict");
        }
    }

    @Test
    void changeWithinAChangeWaitsForNone() {
        List<String> made = Collections.synchronizedList(new ArrayList<>());
        try (StampedeGuardedCache<String, String> cache = cache("first");
                Changes changes = new Changes()) {
            byReactor(() -> changes.run(cache, () -> changes.run(cache, () -> made.add("by a listener"))));
            changes.awaitThoseOfThisProcess();

            assertThat(made).containsExactly("by a listener");
        }
    }

    /** Waits until a thread waits, or has ended without that. */
    private static void untilWaiting(Thread thread) {
        Fleet.until(() -> switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            default -> false;
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
