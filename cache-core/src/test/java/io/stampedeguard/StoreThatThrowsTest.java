package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.ProxiedStore;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** P7: a store that throws what it should not has failed, like one that does not answer. */
final class StoreThatThrowsTest {
    private static final Duration LEASE_TTL = ofSeconds(6);

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore working = InMemoryStore.create(time);
    private final Map<String, Throwable> failing = new ConcurrentHashMap<>();
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();
    private final SharedStore store =
            ProxiedStore.of((method, args) -> method.getName().equals("ability") ? null : call(method, args));
    private final Origin origin = new Origin("one");

    private @Nullable Object call(Method method, Object @Nullable [] args) throws Throwable {
        boolean isProbe = ScriptedStore.isProbe() && Set.of("read", "end").contains(method.getName());
        Throwable failure = isProbe ? null : failing.get(method.getName());
        if (failure != null) {
            calls.merge(method.getName(), 1, Integer::sum);
            throw failure;
        }
        try {
            return pass(working, method, args);
        } finally {
            calls.merge(isProbe ? "probe" : method.getName(), 1, Integer::sum);
        }
    }

    private StampedeGuardedCache<String, String> cache(StoreFailureMode mode) {
        return textCache("throws", store)
                .loader(origin::read)
                .timeSource(time)
                .policy(CachePolicy.builder()
                        .leaseTtl(LEASE_TTL)
                        .onStoreFailure(mode)
                        .build())
                .build();
    }

    private static List<Throwable> failures() {
        return List.of(
                new IllegalStateException("the pool is closed"), new StackOverflowError(), new Error("of a jar"));
    }

    static Stream<Arguments> formsAndSteps() {
        return Stream.of(FormOfGet.values())
                .flatMap(form -> Stream.of("read", "lease", "end", "groups").map(step -> Arguments.of(form, step)));
    }

    @ParameterizedTest
    @MethodSource("formsAndSteps")
    void loadSurvivesAStoreThatThrows(FormOfGet form, String step) throws Throwable {
        for (Throwable failure : failures()) {
            try (StampedeGuardedCache<String, String> cache = cache(StoreFailureMode.QUEUE)) {
                failing.put(step, failure);
                assertThat(form.ask(cache, origin))
                        .as("%s throws %s", step, failure)
                        .isEqualTo("one");
                until(() -> cache.faults(FaultSource.STORE) == calls.getOrDefault(step, 0));

                failing.clear();
                assertRenewsNothing();
                List.of("k", "here", "there").forEach(cache::invalidate);
            }
            calls.clear();
        }
    }

    /** Errors that no program survives reach the caller; the lease ends by itself nevertheless. */
    @ParameterizedTest
    @MethodSource("forms")
    void leaseIsNotRenewedAfterAFatalError(FormOfGet form) {
        for (String step : List.of("read", "lease", "end")) {
            try (StampedeGuardedCache<String, String> cache = cache(StoreFailureMode.QUEUE)) {
                failing.put(step, new OutOfMemoryError("of the test"));
                assertThat(catchThrowable(() -> form.ask(cache, origin))).isNotNull();

                failing.clear();
                assertRenewsNothing();
                List.of("k", "here", "there").forEach(cache::invalidate);
            }
        }
    }

    static Stream<FormOfGet> forms() {
        return Stream.of(FormOfGet.values());
    }

    private void assertRenewsNothing() {
        calls.remove("renew");
        time.advance(LEASE_TTL.dividedBy(2));
        until(() -> time.timers() == 0);
        assertThat(calls).doesNotContainKey("renew");
    }

    @ParameterizedTest
    @MethodSource("failures")
    void renewalThatThrowsIsRepeated(Throwable failure) throws Exception {
        CountDownLatch loads = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        try (StampedeGuardedCache<String, String> cache = cache(StoreFailureMode.QUEUE)) {
            Thread caller = new Thread(() -> cache.get("k", key -> {
                loads.countDown();
                ends.await();
                return "one";
            }));
            caller.start();
            try {
                loads.await();
                failing.put("renew", failure);
                passUntilRenewed();
                until(() -> cache.faults(FaultSource.STORE) == 1);
                failing.clear();
                calls.clear();
                passUntilRenewed();
            } finally {
                ends.countDown();
                caller.join();
            }

            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(origin.reads()).as("the lease was held to the end").isZero();
        }
    }

    private void passUntilRenewed() {
        while (!calls.containsKey("renew")) {
            int timers = time.timers();
            time.advance(LEASE_TTL.dividedBy(6));
            until(() -> time.timers() == timers);
        }
    }

    @ParameterizedTest
    @MethodSource("failures")
    void changeThatThrowsIsQueued(Throwable failure) {
        for (Consumer<StampedeGuardedCache<String, String>> change :
                List.<Consumer<StampedeGuardedCache<String, String>>>of(
                        cache -> cache.put("k", "two"), cache -> cache.invalidate("k"), cache -> cache.expire("k"))) {
            for (StoreFailureMode mode : StoreFailureMode.values()) {
                try (StampedeGuardedCache<String, String> cache = cache(mode)) {
                    cache.put("k", "old");
                    failing.put("change", failure);
                    if (mode == StoreFailureMode.THROW) {
                        assertThatThrownBy(() -> change.accept(cache))
                                .isInstanceOf(StoreException.class)
                                .hasRootCause(failure);
                    } else {
                        change.accept(cache);
                    }
                    assertThat(cache.get("k", origin::read)).isIn("one", "two");

                    failing.clear();
                    calls.clear();
                    cache.get("k", origin::read);
                    assertThat(calls).as("the change is replayed").containsKey("change");
                }
            }
        }
    }
}
