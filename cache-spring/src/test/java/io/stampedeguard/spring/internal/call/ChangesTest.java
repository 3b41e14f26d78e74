package io.stampedeguard.spring.internal.call;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.internal.key.KeyTexts;
import io.stampedeguard.spring.internal.key.KeyUses;
import io.stampedeguard.spring.internal.transaction.Transactions;
import io.stampedeguard.spring.internal.value.TypedValue;
import io.stampedeguard.spring.internal.value.ValueTypes;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronizationManager;
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

    static GuardedCache guarded(StampedeGuardedCache<String, TypedValue> core, ValueTypes values, Changes changes) {
        return new GuardedCache(
                "products",
                core,
                values,
                new KeyTexts(List.of(), false),
                new KeyUses("products", false),
                Transactions.of(TransactionOptions.defaults()),
                (key, loaded) -> loaded,
                changes,
                new CallerInvocation(UnaryOperator::identity));
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

    @Test
    void readsThatShareNoLoadSeeTheChangesThatWaited() throws Exception {
        Changes changes = new Changes();
        ValueTypes values = new ValueTypes(Map.of());
        try (StampedeGuardedCache<String, TypedValue> core = StampedeGuardedCache.<String, TypedValue>builder(
                                "products")
                        .store(InMemoryStore.create())
                        .codec(values.codec("products", Values.AUTO, Format.JSON, 1))
                        .build();
                changes) {
            GuardedCache cache = guarded(core, values, changes);
            TypedCalls<String, String> calls = new TypedCalls<>(cache, String.class);

            assertThat(afterAnEvict(cache, changes, () -> calls.getAll(List.of("key"), keys -> Map.of("key", "new"))))
                    .isEqualTo(Map.of("key", "new"));
            assertThat(afterAnEvict(cache, changes, () -> {
                        TransactionSynchronizationManager.setActualTransactionActive(true); // of this thread
                        return cache.getAsync("key", OnceOnly.of(() -> completedFuture("new")), calls)
                                .join();
                    }))
                    .isEqualTo("new");
        }
    }

    /** Returns what a thread reads that begins while the removal of an old value waits. */
    private static Object afterAnEvict(GuardedCache cache, Changes changes, Callable<Object> read) throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        cache.put("key", LoadedValue.of("old"), new TypedCalls<>(cache, String.class));
        byReactor(() -> {
            changes.run(cache.core(), () -> await(mayGoOn));
            cache.evict("key", null);
        });
        FutureTask<Object> result = new FutureTask<>(read);
        Thread reader = new Thread(result);
        reader.start();
        untilWaiting(reader);
        mayGoOn.countDown();
        return result.get();
    }

    @Test
    void closeThatIsInterruptedClearsInPlaceOfChangesThatWait() throws InterruptedException {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        Changes changes = new Changes();
        try (StampedeGuardedCache<String, String> cache = cache("first")) {
            cache.put("key", "old");
            List<String> made = Collections.synchronizedList(new ArrayList<>());
            byReactor(() -> {
                changes.run(cache, () -> await(mayGoOn));
                changes.run(cache, () -> made.add("change"));
            });
            Thread closing = new Thread(changes::close);
            closing.start();
            untilWaiting(closing);
            closing.interrupt();
            closing.join(); // although the first change goes on
            changes.close(); // once more

            mayGoOn.countDown();
            changes.awaitThoseOfThisProcess();
            assertThat(cache.getIfPresent("key")).isNull();
            assertThat(made).isEmpty();
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
