package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import com.fasterxml.jackson.databind.jsontype.PolymorphicTypeValidator;
import io.stampedeguard.testkit.ForEach;
import java.nio.ByteBuffer;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link Jackson2Codec} fulfills {@link JsonContract}, also with mappers of the application. */
final class Jackson2CodecTest extends JsonContract {
    private static final PolymorphicTypeValidator ANYTHING = BasicPolymorphicTypeValidator.builder()
            .allowIfBaseType(Object.class)
            .build();

    @Override
    <V> ValueCodec<V> codec(Class<V> type) {
        return Jackson2Codec.of(type);
    }

    @Override
    <V> ValueCodec<V> other(Class<V> type) {
        return JsonCodec.of(type);
    }

    @Override
    Class<? extends Exception> refusal() {
        return JsonProcessingException.class;
    }

    @Test
    void genericTypeComesBackAsItWas() throws Exception {
        Jackson2Codec<Map<String, List<Product>>> byName =
                Jackson2Codec.of(new TypeReference<Map<String, List<Product>>>() {});
        Map<String, List<Product>> value = Map.of("one", List.of(PRODUCT), "none", List.of());

        assertThat(byName.decode(ByteBuffer.wrap(byName.encode(value)))).isEqualTo(value);
    }

    @Test
    void genericTypeKeepsZonesAndUsesTheModulesOnTheClassPath() throws Exception {
        Jackson2Codec<List<Map<ZonedDateTime, Trinket>>> codec =
                Jackson2Codec.of(new TypeReference<List<Map<ZonedDateTime, Trinket>>>() {});
        List<Map<ZonedDateTime, Trinket>> value =
                List.of(Map.of(ZonedDateTime.parse("2024-01-01T00:30+01:00[Europe/Paris]"), Trinket.of("lamp")));

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(value)))).isEqualTo(value);
    }

    @Test
    void ownMapperIsUsed() throws Exception {
        ObjectMapper indenting = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        Jackson2Codec<Parcel> indented = Jackson2Codec.of(Parcel.class, indenting);

        assertThat(new String(indented.encode(new Parcel("lamp")), UTF_8)).contains("\n");
        assertThat(indented.decode(ByteBuffer.wrap(indented.encode(new Parcel("lamp")))))
                .isEqualTo(new Parcel("lamp"));
    }

    @Test
    void nameReplacesTheOneOfTheClass() {
        assertThat(Jackson2Codec.of(Product.class)
                        .version(2)
                        .named("com.acme.Former")
                        .identity())
                .isEqualTo(new CodecIdentity("json:com.acme.Former", 2))
                .isEqualTo(Jackson2Codec.of(Customer.class)
                        .named("com.acme.Former")
                        .version(2)
                        .identity());
        assertThatThrownBy(() -> Jackson2Codec.of(Product.class).named(" "))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void typesThatDifferHaveDifferentIdentities() {
        assertThat(Jackson2Codec.of(new TypeReference<List<Product>>() {}).identity())
                .isNotEqualTo(
                        Jackson2Codec.of(new TypeReference<List<Customer>>() {}).identity());
        assertThat(Jackson2Codec.of(new TypeReference<Product>() {}).identity())
                .isEqualTo(Jackson2Codec.of(Product.class).identity());
    }

    /** It leaves out what is null, so that it may be missing, and the cache must read what newer processes write. */
    @Test
    void ownMapperThatOmitsNullsReadsOwnAndNewerJson() throws Exception {
        Jackson2Codec<Customer> codec = Jackson2Codec.of(
                Customer.class, new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL));

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(new Customer(1, null)))))
                .isEqualTo(new Customer(1, null));
        assertThat(codec.decode(json("{\"id\":1,\"email\":\"a\",\"more\":2}"))).isEqualTo(new Customer(1, "a"));
    }

    @Test
    void versionIsPartOfTheIdentityAndChangesNothingElse() throws Exception {
        Jackson2Codec<Product> second = Jackson2Codec.of(Product.class).version(2);

        assertThat(second.identity()).isEqualTo(new CodecIdentity("json:" + Product.class.getName(), 2));
        assertThat(second.decode(ByteBuffer.wrap(second.encode(PRODUCT)))).isEqualTo(PRODUCT);
    }

    @ForEach
    void mapperWithDefaultTypingIsRefused(ObjectMapper.DefaultTyping typing) {
        ObjectMapper mapper =
                JsonMapper.builder().activateDefaultTyping(ANYTHING, typing).build();

        for (Class<?> type : new Class<?>[] {Parcel.class, Object.class, String.class, Gadget.class, int[].class}) {
            assertThatThrownBy(() -> Jackson2Codec.of(type, mapper))
                    .as("%s", type)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("default typing");
        }
    }

    /** Mappers of Jackson 2 are mutable. */
    @Test
    void defaultTypingThatIsSwitchedOnLaterHasNoEffect() throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        Jackson2Codec<Parcel> codec = Jackson2Codec.of(Parcel.class, mapper);
        String named = "{\"content\":[\"" + Gadget.class.getName() + "\",{\"setting\":1}]}";

        mapper.activateDefaultTyping(ANYTHING, ObjectMapper.DefaultTyping.JAVA_LANG_OBJECT);
        assertThat(mapper.readValue(named, Parcel.class).content()).isInstanceOf(Gadget.class);
        Object content = codec.decode(json(named)).content();

        assertThat(content).isInstanceOf(List.class);
        assertThat(Gadget.MADE.get()).as("by the mapper alone").hasValue(1);
    }

    @Test
    void mapperForAnotherFormatIsRefused() {
        ObjectMapper smile = new ObjectMapper(new JsonFactory() {
            @Override
            public String getFormatName() {
                return "Smile";
            }
        });

        assertThatThrownBy(() -> Jackson2Codec.of(Parcel.class, smile))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the mapper is for Smile instead of JSON");
    }
}
