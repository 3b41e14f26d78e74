package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.stampedeguard.testkit.ForEach;
import java.nio.ByteBuffer;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

/** {@link JsonCodec} fulfills {@link JsonContract}, also with mappers of the application. */
final class JsonCodecTest extends JsonContract {
    private static final PolymorphicTypeValidator ANYTHING = BasicPolymorphicTypeValidator.builder()
            .allowIfBaseType(Object.class)
            .build();

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    private interface Named {}

    @Override
    <V> ValueCodec<V> codec(Class<V> type) {
        return JsonCodec.of(type);
    }

    @Override
    <V> ValueCodec<V> other(Class<V> type) {
        return Jackson2Codec.of(type);
    }

    @Override
    Class<? extends Exception> refusal() {
        return JacksonException.class;
    }

    @Test
    void genericTypeComesBackAsItWas() {
        JsonCodec<Map<String, List<Product>>> byName = JsonCodec.of(new TypeReference<Map<String, List<Product>>>() {});
        Map<String, List<Product>> value = Map.of("one", List.of(PRODUCT), "none", List.of());

        assertThat(byName.decode(ByteBuffer.wrap(byName.encode(value)))).isEqualTo(value);
    }

    @Test
    void genericTypeKeepsZonesAndUsesTheModulesOnTheClassPath() {
        JsonCodec<List<Map<ZonedDateTime, Trinket>>> codec =
                JsonCodec.of(new TypeReference<List<Map<ZonedDateTime, Trinket>>>() {});
        List<Map<ZonedDateTime, Trinket>> value =
                List.of(Map.of(ZonedDateTime.parse("2024-01-01T00:30+01:00[Europe/Paris]"), Trinket.of("lamp")));

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(value)))).isEqualTo(value);
    }

    @Test
    void ownMapperIsUsed() {
        JsonMapper indenting =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        JsonCodec<Product> indented = JsonCodec.of(Product.class, indenting);

        assertThat(new String(indented.encode(PRODUCT), UTF_8)).contains("\n");
        assertThat(indented.decode(ByteBuffer.wrap(indented.encode(PRODUCT)))).isEqualTo(PRODUCT);
    }

    @Test
    void nameReplacesTheOneOfTheClass() {
        assertThat(JsonCodec.of(Product.class)
                        .version(2)
                        .named("com.acme.Former")
                        .identity())
                .isEqualTo(new CodecIdentity("json:com.acme.Former", 2))
                .isEqualTo(JsonCodec.of(Customer.class)
                        .named("com.acme.Former")
                        .version(2)
                        .identity());
        assertThatThrownBy(() -> JsonCodec.of(Product.class).named(" ")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void typesThatDifferHaveDifferentIdentities() {
        assertThat(JsonCodec.of(new TypeReference<List<Product>>() {}).identity())
                .isNotEqualTo(
                        JsonCodec.of(new TypeReference<List<Customer>>() {}).identity());
        assertThat(JsonCodec.of(new TypeReference<Product>() {}).identity())
                .isEqualTo(JsonCodec.of(Product.class).identity());
    }

    /** It leaves out what is null, so that it may be missing, and the cache must read what newer processes write. */
    @Test
    void ownMapperThatOmitsNullsReadsOwnAndNewerJson() {
        JsonCodec<Customer> codec = JsonCodec.of(
                Customer.class,
                JsonMapper.builder()
                        .changeDefaultPropertyInclusion(each -> each.withValueInclusion(JsonInclude.Include.NON_NULL))
                        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .build());

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(new Customer(1, null)))))
                .isEqualTo(new Customer(1, null));
        assertThat(codec.decode(json("{\"id\":1,\"email\":\"a\",\"more\":2}"))).isEqualTo(new Customer(1, "a"));
    }

    @Test
    void versionIsPartOfTheIdentityAndChangesNothingElse() {
        JsonCodec<Product> second = JsonCodec.of(Product.class).version(2);

        assertThat(second.identity()).isEqualTo(new CodecIdentity("json:" + Product.class.getName(), 2));
        assertThat(second.decode(ByteBuffer.wrap(second.encode(PRODUCT)))).isEqualTo(PRODUCT);
    }

    @ForEach
    void mapperWithDefaultTypingIsRefused(DefaultTyping typing) {
        JsonMapper mapper =
                JsonMapper.builder().activateDefaultTyping(ANYTHING, typing).build();

        for (Class<?> type : new Class<?>[] {Parcel.class, Object.class, String.class, Gadget.class, int[].class}) {
            assertThatThrownBy(() -> JsonCodec.of(type, mapper))
                    .as("%s", type)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("default typing");
        }
    }

    @Test
    void mapperWithDefaultTypingAsAPropertyIsRefused() {
        JsonMapper mapper = JsonMapper.builder()
                .activateDefaultTypingAsProperty(ANYTHING, DefaultTyping.NON_FINAL, "kind")
                .build();

        assertThatThrownBy(() -> JsonCodec.of(Parcel.class, mapper)).hasMessageContaining("default typing");
    }

    @Test
    void mapperThatReadsClassNamesByAMixInMakesNothing() {
        JsonMapper mapper =
                JsonMapper.builder().addMixIn(Object.class, Named.class).build();

        assertThatThrownBy(() -> JsonCodec.of(Parcel.class, mapper)
                        .decode(json("{\"content\":{\"@class\":\"" + Gadget.class.getName() + "\",\"setting\":1}}")))
                .isInstanceOf(JacksonException.class);
        assertThat(Gadget.MADE.get()).hasValue(0);
    }
}
