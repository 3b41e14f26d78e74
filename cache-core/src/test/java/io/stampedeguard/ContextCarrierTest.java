package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.ContextCarrier;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The context of a caller reaches the loader on whatever thread it runs, and is captured for no other reason. */
final class ContextCarrierTest {
    private static final ThreadLocal<String> USER = new ThreadLocal<>();
    private static final Set<FormOfGet> ASYNC = Set.of(FormOfGet.GET_ASYNC, FormOfGet.GET_ALL_ASYNC);

    private static final CachePolicy POLICY =
            withoutJitter(ofSeconds(10), ofSeconds(60)).leaseTtl(ofSeconds(60)).build();

    @AutoClose
    private final Fleet fleet = new Fleet(0, POLICY);

    @AutoClose("shutdownNow")
    private final ExecutorService threads =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "loader-thread"));

    private final Origin origin = fleet.origin();
    private final AtomicInteger captured = new AtomicInteger();

    /** Which user each load has found, and on which thread. */
    private final List<String> users = new CopyOnWriteArrayList<>();

    private final List<Thread> loading = new CopyOnWriteArrayList<>();

    private volatile Duration takes = ZERO;

    private UnaryOperator<Runnable> capture() {
        captured.incrementAndGet();
        String user = USER.get();
        return load -> () -> {
            String before = USER.get();
            USER.set(user);
            try {
                load.run();
            } finally {
                USER.set(before);
            }
        };
    }

    private StampedeGuardedCacheBuilder<String, String> builder() {
        return fleet.builder("carried").loader(this::read).contextCarrier(this::capture);
    }

    private String read(String key) throws Exception {
        users.add(String.valueOf(USER.get()));
        loading.add(Thread.currentThread());
        fleet.advance(takes);
        return origin.read(key);
    }

    /** Requests the key in one of the forms, with loaders that note the user; returns its value. */
    private String ask(FormOfGet form, StampedeGuardedCache<String, String> cache) throws Exception {
        return switch (form) {
            case GET -> cache.get(FormOfGet.KEY, this::read);
            case GET_BY_THE_CACHES_LOADER -> cache.get(FormOfGet.KEY);
            case GET_BY_AN_ADAPTIVE_LOADER ->
                cache.get(FormOfGet.KEY, Loader.adaptive((key, previous) -> LoadedValue.of(read(key))));
            case GET_ASYNC ->
                Callers.result(cache.getAsync(FormOfGet.KEY, key -> CompletableFuture.completedFuture(read(key))));
            case GET_ALL_OF_ONE ->
                cache.getAll(List.of(FormOfGet.KEY), this::readAll).get(FormOfGet.KEY);
            case GET_ALL_BY_THE_CACHES_LOADER ->
                cache.getAll(List.of(FormOfGet.KEY)).get(FormOfGet.KEY);
            case GET_ALL_ASYNC ->
                Callers.result(cache.getAllAsync(List.of("here", FormOfGet.KEY), this::readAll))
                        .get(FormOfGet.KEY);
            case GET_ALL_OF_MANY ->
                cache.getAll(List.of("here", FormOfGet.KEY, "there"), this::readAll)
                        .get(FormOfGet.KEY);
        };
    }

    private Map<String, String> readAll(Set<String> keys) throws Exception {
        String row = read("k");
        return keys.stream().collect(Collectors.toMap(key -> key, key -> row));
    }

    /** Requests the key as a user, on a thread of its own. */
    private String askAs(String user, FormOfGet form, StampedeGuardedCache<String, String> cache) throws Exception {
        return fleet.callers()
                .call(() -> {
                    USER.set(user);
                    try {
                        return ask(form, cache);
                    } finally {
                        assertThat(USER.get()).as("the caller's own context").isEqualTo(user);
                        USER.remove();
                    }
                })
                .result();
    }

    @ForEach
    void loaderHasTheContextOfItsCaller(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder().build()) {
            assertThat(askAs("anna", form, cache)).isEqualTo("one");

            assertThat(users).containsExactly("anna");
            assertThat(captured).as("on the caller's thread it is there").hasValue(ASYNC.contains(form) ? 1 : 0);
        }
    }

    @ForEach
    void hitOfTheNearCacheCapturesNothing(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder()
                .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                .build()) {
            askAs("anna", form, cache);
            int before = captured.get();

            for (int i = 0; i < 10; i++) {
                assertThat(askAs("bert", form, cache)).isEqualTo("one");
            }

            assertThat(captured).hasValue(before);
            assertThat(users).containsExactly("anna");
        }
    }

    @ForEach
    void hitOfTheStoreCapturesNothingUnlessItIsAsynchronous(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder().build()) {
            askAs("anna", form, cache);
            int before = captured.get();

            askAs("bert", form, cache);

            assertThat(captured.get() - before).isEqualTo(ASYNC.contains(form) ? 1 : 0);
        }
    }

    @ForEach
    void reloadHasTheContextOfItsReader(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder().build()) {
            askAs("anna", form, cache);
            fleet.advance(ofSeconds(10));
            int before = captured.get();
            origin.close();
            assertThat(askAs("bert", form, cache)).isEqualTo("one");
            until(() -> origin.running() == 1);
            int queued = captured.get();
            assertThat(askAs("carl", FormOfGet.GET, cache)).isEqualTo("one");

            assertThat(queued - before).isEqualTo(1);
            assertThat(captured).as("it is queued already").hasValue(queued);
            origin.open();
            until(() -> cache.reloading() == 0);
            assertThat(users).containsExactly("anna", "bert");
            assertThat(loading.get(1).getName()).startsWith("stampede-carried-refresh-");
        }
    }

    @ForEach
    void earlyReloadOfANearCopyHasTheContextOfItsReader(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder()
                .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                .build()) {
            takes = ofSeconds(1);
            askAs("anna", form, cache);
            takes = ZERO;

            while (users.size() == 1) {
                fleet.advance(ofMillis(100));
                assertThat(askAs("bert", form, cache)).isEqualTo("one");
                until(() -> cache.reloading() == 0);
            }

            assertThat(users).containsExactly("anna", "bert");
            assertThat(fleet.listener().count(EventType.REFRESH_EARLY)).isPositive();
        }
    }

    @ForEach
    void reloadInAnOutageHasTheContextOfItsReader(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder()
                .nearCache(NearCacheOptions.builder().maximumSize(100).build())
                .build()) {
            askAs("anna", form, cache);
            fleet.store().cutChanges().refuse();
            fleet.advance(ofSeconds(10));

            assertThat(askAs("bert", form, cache)).isEqualTo("one");

            until(() -> users.size() == 2);
            assertThat(users).containsExactly("anna", "bert");
        }
    }

    @ForEach
    void executorLoadHasItsCallersContextAndLeavesNothingBehind(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache =
                builder().loaderExecutor(threads).build()) {
            assertThat(askAs("anna", form, cache)).isEqualTo("one");

            assertThat(users).containsExactly("anna");
            assertThat(captured).as("once, on the thread of the caller").hasValue(1);
            if (form != FormOfGet.GET_ASYNC) {
                assertThat(loading.get(0).getName()).isEqualTo("loader-thread");
            }
            assertThat(threads.submit(USER::get).get()).isNull();
        }
    }

    @ForEach
    void reloadOnTheExecutorHasTheContextOfItsReader(FormOfGet form) throws Exception {
        try (StampedeGuardedCache<String, String> cache =
                builder().loaderExecutor(threads).build()) {
            askAs("anna", form, cache);
            fleet.advance(ofSeconds(10));
            askAs("bert", form, cache);

            until(() -> users.size() == 2);
            assertThat(users).containsExactly("anna", "bert");
        }
    }

    @Test
    void asynchronousGetByTheCachesLoaderHasTheContext() throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder().build()) {
            USER.set("anna");
            assertThat(Callers.result(cache.getAsync("a"))).isEqualTo("one");
            assertThat(Callers.result(cache.getAllAsync(List.of("b", "c")))).hasSize(2);

            assertThat(users).containsExactly("anna", "anna", "anna");
            assertThat(captured).as("once for each call").hasValue(2);
        } finally {
            USER.remove();
        }
    }

    @Test
    void refreshHasTheContextOfItsCaller() throws Exception {
        try (StampedeGuardedCache<String, String> cache = builder().build()) {
            USER.set("anna");
            cache.put(FormOfGet.KEY, "put");

            assertThat(Callers.result(cache.refresh(FormOfGet.KEY, this::read))).isEqualTo("one");

            assertThat(users).containsExactly("anna");
            assertThat(captured).hasValue(1);
        } finally {
            USER.remove();
        }
    }

    @Test
    void loaderThatRequestsAnotherKeyPassesTheContextOn() throws Exception {
        try (StampedeGuardedCache<String, String> inner =
                        builder().loaderExecutor(threads).build();
                StampedeGuardedCache<String, String> outer =
                        fleet.builder("outer").contextCarrier(this::capture).build()) {
            USER.set("anna");
            assertThat(Callers.result(
                            outer.getAsync("k", key -> CompletableFuture.completedFuture(inner.get("k", this::read)))))
                    .isEqualTo("one");

            assertThat(users).containsExactly("anna");
        } finally {
            USER.remove();
        }
    }

    @Test
    void prefetchLoadsInTheContextOfItsCaller() {
        try (StampedeGuardedCache<String, String> cache = builder().build()) {
            USER.set("anna");
            assertThat(cache.prefetch(List.of("a", "b"), this::readAll).present())
                    .isEqualTo(2);

            assertThat(users).containsExactly("anna");
            assertThat(captured).hasValue(0);
        } finally {
            USER.remove();
        }
    }

    /** The executor begins the load when its caller has run it already. */
    @Test
    void loadThatTheCallerRunsItselfRunsOnceAndKeepsItsContext() throws Exception {
        List<Runnable> late = new CopyOnWriteArrayList<>();
        try (StampedeGuardedCache<String, String> cache =
                builder().loaderExecutor(late::add).build()) {
            Callers.Call<String> leader = fleet.callers().call(() -> askAs("anna", FormOfGet.GET, cache));
            fleet.time().awaitWaiting(1);
            fleet.advance(ofMillis(50));
            assertThat(leader.result()).isEqualTo("one");

            late.forEach(Runnable::run);

            assertThat(users).containsExactly("anna");
            assertThat(late).hasSize(1);
            assertThat(cache.faults(FaultSource.LOADER)).isZero();
        }
    }

    /** A carrier that fails in one way. */
    private record Broken(String how, ContextCarrier carrier, boolean isFault) {
        @Override
        public String toString() {
            return how;
        }
    }

    static Stream<Broken> brokenCarriers() {
        Error thrown = new AssertionError("thrown by the test");
        return Stream.of(
                new Broken(
                        "fails to capture",
                        () -> {
                            throw thrown;
                        },
                        true),
                new Broken("captures null", () -> null, true),
                new Broken(
                        "fails to wrap",
                        () -> load -> {
                            throw thrown;
                        },
                        true),
                new Broken("wraps as null", () -> load -> null, true),
                new Broken(
                        "fails before the load",
                        () -> load -> () -> {
                            throw thrown;
                        },
                        true),
                new Broken(
                        "fails after the load",
                        () -> load -> () -> {
                            load.run();
                            throw thrown;
                        },
                        true),
                new Broken("does not run the load", () -> load -> () -> {}, false),
                new Broken(
                        "runs the load twice",
                        () -> load -> () -> {
                            load.run();
                            load.run();
                        },
                        false));
    }

    @ParameterizedTest
    @MethodSource("brokenCarriers")
    void brokenCarrierIsLoggedAndFailsNoLoad(Broken broken) throws Exception {
        for (FormOfGet form : FormOfGet.values()) {
            for (Executor executor : new Executor[] {threads, null}) {
                StampedeGuardedCacheBuilder<String, String> builder = builder().contextCarrier(broken.carrier());
                if (executor != null) {
                    builder.loaderExecutor(executor);
                }
                users.clear();
                try (StampedeGuardedCache<String, String> cache = builder.build();
                        CapturedLog log = new CapturedLog()) {
                    assertThat(askAs("anna", form, cache)).isEqualTo("one");
                    fleet.advance(ofSeconds(10));
                    assertThat(askAs("bert", form, cache)).isEqualTo("one");
                    until(() -> cache.reloading() == 0);

                    assertThat(users).as("%s", form).hasSize(2);
                    if (broken.isFault()) {
                        assertThat(cache.faults(FaultSource.LOADER))
                                .as("%s", form)
                                .isPositive();
                        assertThat(log.warningsOf("carried"))
                                .anySatisfy(line -> assertThat(line).contains("the contextCarrier has failed"));
                    } else {
                        assertThat(cache.faults(FaultSource.LOADER)).isZero();
                    }
                    List.of(FormOfGet.KEY, "here", "there").forEach(cache::invalidate);
                }
            }
        }
    }

    @Test
    void fatalCarrierErrorLeavesNoQueuedKeyAndNoLease() throws Exception {
        List<Error> fatal = new ArrayList<>(List.of(new InternalError("thrown by the test")));
        ContextCarrier carrier = () -> {
            if (fatal.isEmpty()) {
                return capture();
            }
            throw fatal.remove(0);
        };
        try (StampedeGuardedCache<String, String> cache =
                builder().contextCarrier(carrier).loaderExecutor(threads).build()) {
            assertThatThrownBy(() -> cache.get("k", this::read)).isInstanceOf(InternalError.class);
            until(() -> on(fleet.store()).lease("carried:k", LeaseToken.next(), null, ofSeconds(60))
                    instanceof LeaseAttempt.Granted);
            cache.invalidate("k");
            assertThat(cache.get("k", this::read)).isEqualTo("one");

            fleet.advance(ofSeconds(10));
            fatal.add(new InternalError("thrown by the test"));
            assertThatThrownBy(() -> cache.get("k", this::read)).isInstanceOf(InternalError.class);
            assertThat(cache.reloading()).isZero();

            assertThat(cache.get("k", this::read)).isEqualTo("one");
            until(() -> users.size() == 2);
        }
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> StampedeGuardedCache.<String, String>builder("carried")
                        .codec(StringCodec.of())
                        .contextCarrier(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("contextCarrier");
    }
}
