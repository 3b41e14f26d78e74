package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.store.InMemoryStore;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Caches that compress their values beside others that do not yet: values that are no text of theirs are not decoded. */
final class CompressedValuesTest {
    private static final String LONG = "a value of several words; ".repeat(40);

    private final InMemoryStore store = InMemoryStore.create();

    private StampedeCacheManager manager(Consumer<? super StampedeCacheOptions> settings) {
        return StampedeCacheManager.builder(store).defaults(settings).build();
    }

    @Test
    void valuesFromBeforeAreReadAndCompressedOnesAreAMissElsewhere() {
        try (StampedeCacheManager before = manager(options -> {});
                StampedeCacheManager now = manager(options -> options.compressAbove(100))) {
            TypedCache<Long, String> plain = before.typed("products", Long.class, String.class);
            TypedCache<Long, String> compressed = now.typed("products", Long.class, String.class);
            plain.get(1L, id -> LONG);
            compressed.get(2L, id -> LONG);

            assertThat(compressed.getIfPresent(1L)).isEqualTo(LONG);
            assertThat(compressed.getIfPresent(2L)).isEqualTo(LONG);
            assertThat(plain.getIfPresent(2L)).isNull();
        }
    }

    @Test
    void valuesOfACompressedCodecBeanAreAMissElsewhere() {
        try (StampedeCacheManager before = StampedeCacheManager.builder(store)
                        .codec(String.class, StringCodec.of())
                        .build();
                StampedeCacheManager now = StampedeCacheManager.builder(store)
                        .codec(String.class, ValueCodec.compressed(StringCodec.of(), 100))
                        .build()) {
            TypedCache<Long, String> plain = before.typed("products", Long.class, String.class);
            TypedCache<Long, String> compressed = now.typed("products", Long.class, String.class);
            compressed.get(1L, id -> LONG);
            plain.get(2L, id -> LONG);

            assertThat(plain.getIfPresent(1L)).isNull();
            assertThat(compressed.getIfPresent(2L)).isNull();
        }
    }

    @Test
    void mutableValuesAreCopiedAsWithoutCompression() {
        try (StampedeCacheManager manager =
                manager(options -> options.compressAbove(100).nearMaximumSize(10))) {
            TypedCache<Long, long[]> cache = manager.typed("numbers", Long.class, long[].class);
            cache.get(1L, id -> new long[100]);
            for (int read = 0; read < 2; read++) {
                long[] value = cache.getIfPresent(1L);
                assertThat(value).isEqualTo(new long[100]);
                value[0] = 7;
            }
        }
    }

    @Test
    void negativeNumberIsRefusedWhenTheManagerIsBuilt() {
        assertThatIllegalArgumentException().isThrownBy(() -> manager(options -> options.compressAbove(-1)));
    }
}
