package io.stampedeguard.redis.examples;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.AEADBadTagException;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;
import tools.jackson.core.type.TypeReference;

/** Codecs of one's own, alone, one over another, and side by side in a fleet, on a real Redis. */
class CodecExamplesTest {
    private static final Product LAMP = new Product(42, "lamp ".repeat(100), 19.95);
    private static final SecretKey OLD = key("the old key here");
    private static final SecretKey NEW = key("and the new one.");

    private final String name = "examples-" + UUID.randomUUID();
    private final RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    private final RedisClient client = SharedRedis.client();
    private final AtomicInteger loads = new AtomicInteger();

    record Product(long id, String name, double price) {}

    @AfterEach
    void close() {
        client.close();
        store.close();
    }

    private static SecretKey key(String bytes) {
        return new SecretKeySpec(bytes.getBytes(UTF_8), "AES");
    }

    private <V> StampedeGuardedCache<String, V> cache(ValueCodec<V> codec, V value) {
        return StampedeGuardedCache.<String, V>builder(name)
                .store(store)
                .codec(codec)
                .loader(id -> {
                    loads.incrementAndGet();
                    return value;
                })
                .build();
    }

    private String stored() {
        return new String(requireNonNull(client.get(("{" + name + ":42}").getBytes(UTF_8))), ISO_8859_1);
    }

    private <V> void assertReadByAnotherProcess(ValueCodec<V> codec, V value) {
        try (StampedeGuardedCache<String, V> one = cache(codec, value);
                StampedeGuardedCache<String, V> other = cache(codec, value)) {
            one.get("42");

            assertThat(other.get("42")).isEqualTo(value);
            assertThat(loads).hasValue(1);
            assertThat(one.faults(FaultSource.CODEC) + other.faults(FaultSource.CODEC))
                    .isZero();
        }
    }

    @Test
    void smileIsReadByAnotherProcess() {
        assertReadByAnotherProcess(new SmileCodec<>(Product.class), LAMP);
        assertThat(stored()).contains(":)\n").doesNotContain("\"price\"");
    }

    @Test
    void smileReadsTheJsonFromBefore() {
        try (StampedeGuardedCache<String, Product> before = cache(JsonCodec.of(Product.class), LAMP);
                StampedeGuardedCache<String, Product> now = cache(new SmileCodec<>(Product.class), LAMP)) {
            before.get("42");

            assertThat(now.get("42")).isEqualTo(LAMP);
            assertThat(loads).hasValue(1);
        }
    }

    @Test
    void messageIsReadByAnotherProcess() {
        Struct product = Struct.newBuilder()
                .putFields("name", Value.newBuilder().setStringValue("lamp").build())
                .build();

        assertReadByAnotherProcess(new ProtobufCodec<>(Struct.getDefaultInstance()), product);
        assertThat(stored()).contains("protobuf:google.protobuf.Struct");
    }

    @Test
    void compressedAndEncryptedValueIsReadByAnotherProcess() {
        ValueCodec<Product> compressed = ValueCodec.compressed(JsonCodec.of(Product.class), 256);

        assertReadByAnotherProcess(new EncryptedCodec<>(compressed, Map.of(1, OLD), 1), LAMP);
        assertThat(stored()).hasSizeLessThan(400).doesNotContain("lamp");
    }

    @Test
    void keysAreRotatedWhileTheCacheIsInUse() {
        ValueCodec<Product> json = JsonCodec.of(Product.class);
        try (StampedeGuardedCache<String, Product> old = cache(new EncryptedCodec<>(json, Map.of(1, OLD), 1), LAMP);
                StampedeGuardedCache<String, Product> both =
                        cache(new EncryptedCodec<>(json, Map.of(1, OLD, 2, NEW), 2), LAMP)) {
            old.get("42");
            assertThat(both.get("42")).isEqualTo(LAMP);
            assertThat(loads).hasValue(1);

            both.put("42", LAMP);
            String byNewKey = stored();
            assertThat(old.getIfPresent("42")).isNull();
            assertThat(old.get("42")).isEqualTo(LAMP);
            assertThat(stored()).isEqualTo(byNewKey);
            assertThat(old.faults(FaultSource.CODEC)).isZero();
        }
    }

    @Test
    void valuesOfATypeWithALongNameAreEncrypted() {
        ValueCodec<List<Map<String, Map<UUID, Product>>>> json = JsonCodec.of(new TypeReference<>() {});
        assertThat(json.identity().id()).hasSizeGreaterThan(120);

        assertReadByAnotherProcess(
                new EncryptedCodec<>(json, Map.of(1, OLD), 1), List.of(Map.of("lamps", Map.of(new UUID(1, 2), LAMP))));
    }

    @Test
    void changedBytesAreNotDecrypted() throws Exception {
        ValueCodec<Product> codec = new EncryptedCodec<>(JsonCodec.of(Product.class), Map.of(1, OLD, 2, OLD), 1);
        byte[] encrypted = codec.encode(LAMP);

        for (int at : new int[] {3, 4, 20, encrypted.length - 1}) {
            byte[] changed = encrypted.clone();
            changed[at] ^= 3;
            assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(changed)))
                    .as("byte %d", at)
                    .isInstanceOf(AEADBadTagException.class);
        }
        assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(encrypted, 0, 31)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
