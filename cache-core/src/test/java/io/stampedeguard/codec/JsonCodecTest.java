package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Values come back as they were; what is not the JSON of one is refused. */
final class JsonCodecTest {
    record Product(long id, String name, @Nullable Instant since, List<String> tags) {}

    private static final Product PRODUCT =
            new Product(42, "smörgås \ud83e\udd6a", Instant.parse("2026-11-20T10:15:30.123456789Z"), List.of("a", "b"));

    private final JsonCodec<Product> codec = JsonCodec.of(Product.class);

    @Test
    void recordComesBackAsItWas() {
        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(PRODUCT)))).isEqualTo(PRODUCT);
    }

    @Test
    void recordWithoutSomethingComesBackAsItWas() {
        Product bare = new Product(-1, "", null, List.of());

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(bare)))).isEqualTo(bare);
    }

    @Test
    void genericTypeComesBackAsItWas() {
        JsonCodec<Map<String, List<Product>>> byName = JsonCodec.of(new TypeReference<Map<String, List<Product>>>() {});
        Map<String, List<Product>> value = Map.of("one", List.of(PRODUCT), "none", List.of());

        assertThat(byName.decode(ByteBuffer.wrap(byName.encode(value)))).isEqualTo(value);
    }

    @Test
    void ownMapperIsUsed() {
        JsonMapper indenting = JsonMapper.builder()
                .enable(tools.jackson.databind.SerializationFeature.INDENT_OUTPUT)
                .build();
        JsonCodec<Product> indented = JsonCodec.of(Product.class, indenting);

        assertThat(new String(indented.encode(PRODUCT), UTF_8)).contains("\n");
        assertThat(indented.decode(ByteBuffer.wrap(indented.encode(PRODUCT)))).isEqualTo(PRODUCT);
    }

    @Test
    void jsonNullIsRefused() {
        assertThatThrownBy(() -> codec.decode(json("null"))).hasMessageContaining("JSON null is not a value");
    }

    @Test
    void whatIsNotJsonOfTheTypeIsRefused() {
        for (String text : new String[] {"", " ", "{", "[]", "42", "{\"id\":\"many\"}", "{\"id\":1}{\"id\":2}"}) {
            assertThatThrownBy(() -> codec.decode(json(text))).as(text).isInstanceOf(JacksonException.class);
        }
    }

    @Test
    void onlyTheBuffersOwnPartIsRead() {
        byte[] around = ("]]" + new String(codec.encode(PRODUCT), UTF_8) + "]]").getBytes(UTF_8);
        ByteBuffer part = ByteBuffer.wrap(around, 2, around.length - 4);

        assertThat(codec.decode(part)).isEqualTo(PRODUCT);
        assertThat(codec.decode(part.slice())).isEqualTo(PRODUCT);
    }

    private static ByteBuffer json(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
