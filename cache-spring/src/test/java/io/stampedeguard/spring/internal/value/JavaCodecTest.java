package io.stampedeguard.spring.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.io.InvalidClassException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.core.ParameterizedTypeReference;

/** Java's serialization reads nothing but what the declared type needs. */
final class JavaCodecTest {
    record Order(long id, LocalDate day, Map<String, List<Integer>> amounts) implements Serializable {}

    /** Names a class of another package in a field. */
    record Keyed(SimpleKey key) implements Serializable {}

    private static byte[] serialized(Object value) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(value);
        }
        return bytes.toByteArray();
    }

    @Test
    void usualValuesAreRead() throws Exception {
        Map<String, List<Integer>> amounts = new TreeMap<>(Map.of("a", new ArrayList<>(List.of(1, 2)), "b", List.of()));
        Order order = new Order(1, LocalDate.of(2026, 11, 28), amounts);
        JavaCodec codec = new JavaCodec(Order.class);

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(order)))).isEqualTo(order);
    }

    @Test
    void largeAndSparseCollectionsAreRead() throws Exception {
        JavaCodec codec = new JavaCodec(
                SignatureTypes.normal(new ParameterizedTypeReference<Map<Integer, String>>() {}.getType()));
        Map<Integer, String> large = new HashMap<>(10_000);
        for (int i = 0; i < 3_000; i++) {
            large.put(i, "text " + i);
        }
        SoftAssertions softly = new SoftAssertions();
        for (Map<Integer, String> each :
                List.of(large, new HashMap<Integer, String>(100_000), new LinkedHashMap<Integer, String>())) {
            softly.assertThat(codec.decode(ByteBuffer.wrap(codec.encode(each)))).isEqualTo(each);
        }
        softly.assertAll();
    }

    @Test
    void classOfAnotherPackageIsNotCreated() throws Exception {
        JavaCodec codec = new JavaCodec(Order.class);
        byte[] other = serialized(new SimpleKey(1));

        assertThatExceptionOfType(InvalidClassException.class)
                .isThrownBy(() -> codec.decode(ByteBuffer.wrap(other)))
                .withMessageContaining("REJECTED");
    }

    @Test
    void classOfFieldIsRead() throws Exception {
        JavaCodec codec = new JavaCodec(Keyed.class);
        Keyed keyed = new Keyed(new SimpleKey(1, "a"));

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(keyed)))).isEqualTo(keyed);
    }

    /** A payload of a few bytes must not make the process allocate gigabytes. */
    @Test
    void arrayLargerThanItsPayloadIsNotAllocated() throws Exception {
        byte[] payload = serialized(new byte[10]);
        int lengthAt = payload.length - 10 - Integer.BYTES;
        assertThat(ByteBuffer.wrap(payload).getInt(lengthAt)).isEqualTo(10);
        ByteBuffer.wrap(payload).putInt(lengthAt, Integer.MAX_VALUE);

        assertThatExceptionOfType(InvalidClassException.class)
                .isThrownBy(() -> new JavaCodec(byte[].class).decode(ByteBuffer.wrap(payload)));
    }
}
