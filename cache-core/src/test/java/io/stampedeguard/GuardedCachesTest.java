package io.stampedeguard;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What caches on one store share: defaults, names, and the end. */
final class GuardedCachesTest {
    private static final CachePolicy FIVE =
            CachePolicy.builder().softTtl(ofMinutes(5)).build();
    private static final CachePolicy TEN =
            CachePolicy.builder().softTtl(ofMinutes(10)).build();

    private final List<String> closed = new CopyOnWriteArrayList<>();
    private final RecordingListener listener = new RecordingListener();
    private final OwnedStore store = new OwnedStore();

    @AutoClose
    private final GuardedCaches caches = GuardedCaches.over(
            store, each -> each.policy(FIVE).listener(listener).listener(noting()));

    private final class OwnedStore implements CacheStore, AutoCloseable {
        private final InMemoryStore shared = InMemoryStore.create();
        private @Nullable IOException failure;

        @Override
        public SharedStore shared() {
            return shared;
        }

        @Override
        public void close() throws IOException {
            closed.add("store");
            if (failure != null) {
                throw failure;
            }
        }
    }

    record OrderId(String text) {}

    enum Color {
        RED
    }

    private StampedeGuardedCache<Long, String> build(String name) {
        return caches.cache(name, Long.class, StringCodec.of()).build();
    }

    @Test
    void defaultsApplyToEachCacheAndCanBeReplaced() {
        RecordingListener another = new RecordingListener();
        StampedeGuardedCache<Long, String> usual = build("usual");
        StampedeGuardedCache<Color, String> special = caches.cache("special", Color.class, StringCodec.of())
                .policy(TEN)
                .listener(another)
                .build();

        assertThat(usual.get(42L, id -> "lamp")).isEqualTo("lamp");
        assertThat(special.get(Color.RED, color -> "rose")).isEqualTo("rose");

        assertThat(usual.policy()).isSameAs(FIVE);
        assertThat(special.policy()).isSameAs(TEN);
        assertThat(listener.count(AnswerSource.LOADED)).isEqualTo(2);
        assertThat(another.count(AnswerSource.LOADED)).isEqualTo(1);
        assertThat(store.shared.read("usual:42", ofMinutes(1))).isNotNull();
        assertThat(store.shared.read("special:RED", ofMinutes(1))).isNotNull();
    }

    @Test
    void withoutDefaultsThoseOfTheBuilderApply() {
        try (GuardedCaches plain = GuardedCaches.over(store)) {
            assertThat(plain.cache("plain", String.class, StringCodec.of())
                            .build()
                            .policy())
                    .isSameAs(CachePolicy.defaults());
        }
        assertThat(closed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                String.class,
                Long.class,
                long.class,
                int.class,
                char.class,
                boolean.class,
                BigDecimal.class,
                UUID.class,
                Color.class
            })
    void standardKeysNeedNoEncoder(Class<?> keyType) {
        assertThat(KeyEncoder.isStandard(keyType)).isTrue();
        caches.cache("standard", keyType, StringCodec.of()).build().close();
    }

    @ParameterizedTest
    @ValueSource(classes = {OrderId.class, Object.class, Number.class, CharSequence.class, long[].class, void.class})
    void otherKeysNeedAnEncoder(Class<?> keyType) {
        assertThatThrownBy(
                        () -> caches.cache("others", keyType, StringCodec.of()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'others' needs a keyEncoder(...): keys of type " + keyType.getName()
                        + " have no standard text");
        assertThat(caches.byName()).isEmpty();
    }

    @Test
    void encoderIsThatOfTheKeysType() {
        StampedeGuardedCache<OrderId, String> orders = caches.cache("orders", OrderId.class, StringCodec.of())
                .keyEncoder(OrderId::text)
                .build();

        orders.put(new OrderId("a-7"), "paid");

        assertThat(store.shared.read("orders:a-7", ofMinutes(1))).isNotNull();
    }

    @Test
    void openCachesAreListedInTheirOrder() {
        StampedeGuardedCache<Long, String> first = build("first");
        StampedeGuardedCache<Long, String> second = build("second");
        StampedeGuardedCache<Long, String> third = build("third");
        var before = caches.byName();
        second.close();

        assertThat(before.values()).as("a copy").containsExactly(first, second, third);
        assertThat(caches.byName().keySet()).containsExactly("first", "third");
        assertThat(caches.byName().get("third")).isSameAs(third);
    }

    @Test
    void nameOfAnOpenCacheIsRefused() {
        StampedeGuardedCache<Long, String> first = build("twice");

        assertThatThrownBy(() -> build("twice"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cache 'twice' is already open, and has one instance only");
        assertThatThrownBy(() -> caches.cache("twice", Long.class, StringCodec.of())
                        .policy(TEN)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("cache 'twice' is already open")
                .hasMessageContaining("another one was to have softTtl PT10M instead of PT5M");

        assertThat(first.get(1L, id -> "open")).isEqualTo("open");
        first.close();
        assertThat(build("twice").get(1L, id -> "new")).isEqualTo("open");
    }

    @Test
    void threadsThatBuildOneNameGetOneCache() throws Exception {
        try (Callers callers = new Callers()) {
            List<Callers.Call<Boolean>> calls = callers.call(8, () -> {
                try {
                    return build("raced") != null;
                } catch (IllegalStateException refused) {
                    return false;
                }
            });
            assertThat(Callers.results(calls)).filteredOn(Boolean::booleanValue).hasSize(1);
        }
        assertThat(caches.byName()).hasSize(1);
    }

    @Test
    void cacheThatWasNotBuiltIsNotListed() {
        assertThatThrownBy(() -> build("a:b")).isInstanceOf(IllegalArgumentException.class);
        assertThat(caches.byName()).isEmpty();
    }

    @Test
    void cachesAreClosedLastFirstAndTheStoreStaysOpen() {
        build("first");
        build("second");

        caches.close();
        caches.close();

        assertThat(closed).containsExactly("second", "first");
        assertThat(caches.byName()).isEmpty();
        assertThatThrownBy(() -> build("third"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cache 'third' was not built: its GuardedCaches are closed");
    }

    @Test
    void ownStoreIsClosedLastAndItsFailureIsThrown() {
        store.failure = new IOException("no answer");
        GuardedCaches owning = GuardedCaches.owning(store, each -> each.listener(noting()));
        owning.cache("one", Long.class, StringCodec.of()).build();

        assertThatThrownBy(owning::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the caches are closed, and their store could not be closed")
                .hasCause(store.failure);

        owning.close();
        assertThat(closed).containsExactly("one", "store");
    }

    @Test
    void ownStoreIsClosedAfterACacheThatAnotherThreadIsClosing() throws Exception {
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        VirtualTime time = new VirtualTime();
        GuardedCaches owning =
                GuardedCaches.owning(store, each -> each.timeSource(time).listener(noting()));
        StampedeGuardedCache<Long, String> one =
                owning.cache("one", Long.class, StringCodec.of()).build();
        try (Callers callers = new Callers()) {
            Callers.Call<String> load = callers.call(() -> one.get(1L, id -> {
                loading.countDown();
                Fleet.await(mayEnd);
                return "row";
            }));
            loading.await();
            Callers.Call<Boolean> closing = callers.call(() -> {
                one.close();
                return true;
            });
            time.awaitWaiting(1);
            Callers.Call<Boolean> closingAll = callers.call(() -> {
                owning.close();
                return true;
            });
            time.awaitWaiting(2);
            assertThat(closed).isEmpty();
            mayEnd.countDown();

            assertThat(load.result()).isEqualTo("row");
            assertThat(closing.result()).isTrue();
            assertThat(closingAll.result()).isTrue();
        }
        assertThat(closed).containsExactly("one", "store");
    }

    @Test
    void cacheThatClosesAllInItsCloseDoesNotAwaitItself() {
        List<GuardedCaches> all = new ArrayList<>();
        GuardedCaches owning = GuardedCaches.owning(
                store,
                each -> each.listener(noting()).listener(new CacheListener() {
                    @Override
                    public void onClose(String cache, CacheGauges gauges) {
                        all.get(0).close();
                    }
                }));
        all.add(owning);
        owning.cache("one", Long.class, StringCodec.of()).build().close();

        assertThat(closed).containsExactly("one", "store");
    }

    private CacheListener noting() {
        return new CacheListener() {
            @Override
            public void onClose(String cache, CacheGauges gauges) {
                closed.add(cache);
            }
        };
    }

    @Test
    void nullIsRefusedByName() {
        assertThatThrownBy(() -> GuardedCaches.over(null)).hasMessage("store");
        assertThatThrownBy(() -> GuardedCaches.over(store, null)).hasMessage("defaults");
        assertThatThrownBy(() -> GuardedCaches.owning((OwnedStore) null, each -> {}))
                .hasMessage("store");
        assertThatThrownBy(() -> caches.cache(null, Long.class, StringCodec.of()))
                .hasMessage("name");
        assertThatThrownBy(() -> caches.cache("n", null, StringCodec.of())).hasMessage("keyType");
        assertThatThrownBy(() -> caches.cache("n", Long.class, null)).hasMessage("codec");
    }
}
