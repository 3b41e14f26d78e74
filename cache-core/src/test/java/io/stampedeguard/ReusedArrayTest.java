package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.store.InMemoryStore;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The cache copies what a codec returns: a codec may use one array for all values that it encodes on a thread. */
final class ReusedArrayTest {
    private static final Map<String, Long> ROWS = Map.of("a", 1L, "b", 2L, "c", 3L);

    private final InMemoryStore store = InMemoryStore.create();

    private static final class LongCodec implements ValueCodec<Long> {
        private final ThreadLocal<byte[]> array = ThreadLocal.withInitial(() -> new byte[Long.BYTES]);

        @Override
        public byte[] encode(Long value) {
            byte[] same = array.get();
            ByteBuffer.wrap(same).putLong(value);
            return same;
        }

        @Override
        public Long decode(ByteBuffer payload) {
            return payload.getLong();
        }
    }

    private StampedeGuardedCache<String, Long> process() {
        return StampedeGuardedCache.<String, Long>builder("numbers")
                .store(store)
                .codec(new LongCodec())
                .build();
    }

    private Map<String, Long> inTheStore() {
        try (StampedeGuardedCache<String, Long> another = process()) {
            return another.getAll(List.copyOf(ROWS.keySet()), none -> Map.of());
        }
    }

    @Test
    void valuesOfOneLoadAreStoredAsTheyWere() throws Exception {
        try (StampedeGuardedCache<String, Long> cache = process()) {
            cache.getAll(
                    List.copyOf(ROWS.keySet()),
                    (Set<String> keys) -> keys.stream().collect(Collectors.toMap(key -> key, ROWS::get)));
        }
        assertThat(inTheStore()).isEqualTo(ROWS);
    }

    @Test
    void valuesPutTogetherAreStoredAsTheyWere() {
        try (StampedeGuardedCache<String, Long> cache = process()) {
            cache.putAll(ROWS);
        }
        assertThat(inTheStore()).isEqualTo(ROWS);
    }
}
