package io.stampedeguard;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.store.InMemoryStore;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Invalid input is rejected at once, by name and value. */
final class BadInputTest {
    @AutoClose
    private final StampedeGuardedCache<Object, String> cache =
            builder("bad-input").build();

    /** Asserts that each call is refused, before the store is asked anything. */
    private static void assertRefused(Class<? extends Exception> type, String message, ThrowingCallable... calls) {
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(type).hasMessageContaining(message));
    }

    @Test
    void nullIsRefusedByEachMethod() {
        List<Object> nullKey = Arrays.asList("a", null);
        LookupResult.Fence fence = cache.lookup("k").fence();
        assertRefused(
                NullPointerException.class,
                "null key for cache 'bad-input'",
                () -> cache.get(null, key -> "v"),
                () -> cache.getAsync(null, key -> completedFuture("v")),
                () -> cache.refresh(null, key -> "v"),
                () -> cache.getAll(nullKey, keys -> Map.of()),
                () -> cache.getAllAsync(nullKey, keys -> Map.of()),
                () -> cache.prefetch(nullKey, keys -> Map.of()),
                () -> cache.put(null, "v"),
                () -> cache.put(null, LoadedValue.of("v")),
                () -> cache.put(null, "v", fence),
                () -> cache.lookup(null),
                () -> cache.lookupAsync(null),
                () -> cache.keyCreated(null),
                () -> cache.invalidate(null),
                () -> cache.expire(null),
                () -> cache.putAll(Collections.singletonMap(null, "v")),
                () -> cache.invalidateAll(nullKey),
                () -> cache.putAsync(null, "v"),
                () -> cache.invalidateAsync(null),
                () -> cache.expireAsync(null));
        assertRefused(
                NullPointerException.class,
                "null keys for cache 'bad-input'",
                () -> cache.getAll(null, keys -> Map.of()),
                () -> cache.getAllAsync(null, keys -> Map.of()),
                () -> cache.prefetch(null, keys -> Map.of()),
                () -> cache.invalidateAll(null));
        assertRefused(NullPointerException.class, "null values for cache 'bad-input'", () -> cache.putAll(null));
        assertRefused(
                NullPointerException.class,
                "null loader for cache 'bad-input'",
                () -> cache.get("k", null),
                () -> cache.getAsync("k", null),
                () -> cache.refresh("k", null),
                () -> cache.getAll(List.of("k"), null),
                () -> cache.getAllAsync(List.of("k"), null),
                () -> cache.prefetch(List.of("k"), null));
        assertRefused(
                NullPointerException.class,
                "null value for cache 'bad-input'",
                () -> cache.put("k", (String) null),
                () -> cache.put("k", (String) null, fence),
                () -> cache.put("k", (LoadedValue<String>) null, fence),
                () -> cache.put("k", (LoadedValue<String>) null));
        assertRefused(
                NullPointerException.class,
                "null fence for cache 'bad-input'",
                () -> cache.put("k", "v", null),
                () -> cache.put("k", LoadedValue.of("v"), null));
        assertRefused(
                IllegalArgumentException.class,
                "cache 'bad-input': put(key, notModified()) has no value to store",
                () -> cache.put("k", LoadedValue.notModified()),
                () -> cache.put("k", LoadedValue.notModified(), fence));
    }

    @Test
    void getWithoutALoaderOfTheCacheSaysWhatToDo() {
        String message = "cache 'bad-input' has no default loader: use ";
        assertRefused(IllegalStateException.class, message + "get(key, loader)", () -> cache.get("k"));
        assertRefused(IllegalStateException.class, message + "getAsync(key, loader)", () -> cache.getAsync("k"));
        assertRefused(IllegalStateException.class, message + "refresh(key, loader)", () -> cache.refresh("k"));
        assertRefused(IllegalStateException.class, message + "getAll(keys, loader)", () -> cache.getAll(List.of("k")));
        assertRefused(
                IllegalStateException.class,
                message + "getAllAsync(keys, loader)",
                () -> cache.getAllAsync(List.of("k")));
    }

    @Test
    void closedCacheRefusesEachCall() {
        LookupResult.Fence fence = cache.lookup("k").fence();
        cache.close();
        cache.close();
        assertRefused(
                IllegalStateException.class,
                "cache 'bad-input' is closed",
                () -> cache.get("k", key -> "v"),
                () -> cache.getAsync("k", key -> completedFuture("v")),
                () -> cache.refresh("k", key -> "v"),
                () -> cache.getAll(List.of("k"), keys -> Map.of()),
                () -> cache.getAllAsync(List.of("k"), keys -> Map.of()),
                () -> cache.explain("k"),
                () -> cache.putAll(Map.of("k", "v")),
                () -> cache.invalidateAll(List.of("k")),
                () -> cache.putAsync("k", "v"),
                () -> cache.invalidateAsync("k"),
                () -> cache.expireAsync("k"),
                () -> cache.put("k", "v"),
                () -> cache.put("k", LoadedValue.of("v")),
                () -> cache.put("k", "v", fence),
                () -> cache.lookup("k"),
                () -> cache.lookupAsync("k"),
                () -> cache.invalidate("k"),
                () -> cache.expire("k"));
    }

    @Test
    void keyWithoutTextSaysWhatToDo() {
        assertThatThrownBy(() -> cache.get(List.of(1), key -> "v"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bad-input")
                .hasMessageContaining("keyEncoder");
    }

    @Test
    void keyTextThatFailsIsTheCallersError() {
        try (StampedeGuardedCache<Object, String> failing = builder("failing")
                        .keyEncoder(key -> {
                            throw new IllegalStateException("no text today");
                        })
                        .build();
                StampedeGuardedCache<Object, String> silent =
                        builder("silent").keyEncoder(key -> null).build()) {
            assertThatThrownBy(() -> failing.get("k", key -> "v"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("cache 'failing': no text today");
            assertThatThrownBy(() -> silent.get("k", key -> "v"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("keyEncoder of cache 'silent' returned null");
        }
    }

    @Test
    void badNamesAreRefused() {
        for (String name : List.of("", " ", "a:b", "a{b", "a}b", "a%b", "a b", "n".repeat(65), "\u00e4", "a\n")) {
            assertThatThrownBy(() -> builder(name).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(KeyEncoder.shown(name));
        }
        assertThatThrownBy(() -> builder(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
    }

    @Test
    void missingPartsAreNamed() {
        StampedeGuardedCacheBuilder<String, String> parts = StampedeGuardedCache.builder("parts");
        assertThatThrownBy(parts::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'parts' needs a store(...)");
        assertThatThrownBy(() -> parts.store(InMemoryStore.create()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'parts' needs a codec(...)");
    }

    private static StampedeGuardedCacheBuilder<Object, String> builder(String name) {
        return StampedeGuardedCache.<Object, String>builder(name)
                .store(InMemoryStore.create())
                .codec(StringCodec.of());
    }
}
