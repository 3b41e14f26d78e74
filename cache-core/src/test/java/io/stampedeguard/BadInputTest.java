package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.store.InMemoryStore;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Invalid input is rejected at once, by name and value. */
final class BadInputTest {
    @AutoClose
    private final StampedeGuardedCache<Object, String> cache =
            builder("bad-input").build();

    @Test
    void nullKeyIsRefusedByEachMethod() {
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> cache.get(null, key -> "v"),
                () -> cache.put(null, "v"),
                () -> cache.invalidate(null),
                () -> cache.expire(null))) {
            assertThatThrownBy(call)
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("null key for cache 'bad-input'");
        }
    }

    @Test
    void nullLoaderAndNullValueAreRefused() {
        assertThatThrownBy(() -> cache.get("k", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("null loader for cache 'bad-input'");
        assertThatThrownBy(() -> cache.put("k", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("null value for cache 'bad-input'");
    }

    @Test
    void getWithoutALoaderOfTheCacheSaysWhatToDo() {
        assertThatThrownBy(() -> cache.get("k"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cache 'bad-input' has no default loader: use get(key, loader)");
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

    @Test
    void closedCacheRefusesEachCall() {
        cache.close();
        cache.close();

        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> cache.get("k", key -> "v"),
                () -> cache.put("k", "v"),
                () -> cache.invalidate("k"),
                () -> cache.expire("k"))) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("cache 'bad-input' is closed");
        }
    }

    private static StampedeGuardedCacheBuilder<Object, String> builder(String name) {
        return StampedeGuardedCache.<Object, String>builder(name)
                .store(InMemoryStore.create())
                .codec(StringCodec.of());
    }
}
