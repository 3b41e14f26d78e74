package io.stampedeguard.codec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.time.Month;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.IntSummaryStatistics;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.ext.javatime.ser.MonthSerializer;
import tools.jackson.databind.ext.javatime.ser.ZonedDateTimeSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * A codec of values as JSON that uses Jackson 3, an optional dependency: add {@code tools.jackson.core:jackson-databind}. {@link
 * Jackson2Codec} is the same for Jackson 2; each reads what the other writes, unless their mappers differ, or a {@code Month} has
 * a pattern in its {@code @JsonFormat}, which Jackson 2 ignores. The type is fixed:
 * stored bytes do not choose classes, unless the type itself has a {@code @JsonTypeInfo}. <em>Thread-safe.</em>
 *
 * <p>An entry that lacks a property of the class is of an older version: it is loaded again, and replaced. The property may be
 * missing if it is an {@code Optional}, has an annotation named {@code Nullable} or a default value in {@code JsonProperty}, has a
 * default value or a nullable type in Kotlin, or if the mapper does not always write it. Properties that the class does not have
 * are ignored, so that older processes can read newer entries; but an entry that also lacks one, for example because it was
 * renamed, is left alone, and so is one with an enum constant or a subtype that the class does not have.
 *
 * @param <V> the type of the values
 */
@SuppressWarnings("exports") // Jackson is optional: users of this class require it
public final class JsonCodec<V> implements ValueCodec<V> {
    private static final int FIRST_VERSION = 1;

    private final JsonCodecReader<V> reader;
    private final String name;
    private final CodecIdentity identity;

    private JsonCodec(JsonMapper mapper, JavaType type, Type declared) {
        this(new JsonCodecReader<>(mapper, type), DeclaredType.name(declared), FIRST_VERSION);
    }

    private JsonCodec(JsonCodecReader<V> reader, String name, int version) {
        this.reader = reader;
        this.name = name;
        this.identity = DeclaredType.identity(name, version);
    }

    /**
     * {@return a new codec for a class} Its mapper has Jackson's defaults, except that times keep their zones and offsets and
     * fractions are not cut, and uses the Jackson modules on the class path, such as {@code jackson-module-kotlin} for Kotlin's
     * classes.
     *
     * @param <V> the type of the values
     * @param type the class
     * @throws IllegalStateException if a jar of Jackson is missing, or their versions do not match; the message names it
     */
    public static <V> JsonCodec<V> of(Class<V> type) {
        JsonMapper mapper = mapper();
        return new JsonCodec<>(mapper, mapper.constructType(requireNonNull(type, "type")), type);
    }

    /**
     * {@return a new codec for a type like {@code new TypeReference<List<Product>>() {}}, otherwise identical to {@link #of(Class)}}
     *
     * @param <V> the type of the values
     * @param type the type
     */
    public static <V> JsonCodec<V> of(TypeReference<V> type) {
        JsonMapper mapper = mapper();
        return new JsonCodec<>(mapper, mapper.constructType(requireNonNull(type, "type")), type.getType());
    }

    /**
     * {@return a new codec for a class that uses the given mapper}
     *
     * @param <V> the type of the values
     * @param type the class
     * @param mapper a mapper without default typing
     * @throws IllegalArgumentException if the mapper would let stored bytes choose classes (default typing)
     * @throws IllegalStateException if a jar of Jackson is missing, or their versions do not match; the message names it
     */
    public static <V> JsonCodec<V> of(Class<V> type, JsonMapper mapper) {
        mapper();
        JavaType javaType = mapper.constructType(requireNonNull(type, "type"));
        if (mapper.deserializationConfig().getDefaultTyper(javaType) != null) {
            throw new IllegalArgumentException(
                    "the mapper uses default typing, so stored bytes could choose classes: use a mapper without it");
        }
        return new JsonCodec<>(mapper, javaType, type);
    }

    /** Returns a mapper with Jackson's defaults that keeps zones and offsets, which shows whether Jackson works. */
    private static JsonMapper mapper() {
        JacksonJars.requireJackson3();
        try {
            JsonMapper mapper = Texts.writtenBy(JsonMapper.builder())
                    .addModules(MapperBuilder.findModules(JsonMapper.class.getClassLoader()))
                    .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                    .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                    .disable(DateTimeFeature.ONE_BASED_MONTHS) // Jackson 2 would read these as the next month
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .build();
            mapper.writeValueAsBytes(new IntSummaryStatistics()); // any bean, which links what every bean needs
            return mapper;
        } catch (LinkageError e) {
            throw JacksonJars.mismatch(e, JsonMapper.class, JsonParser.class, JsonProperty.class);
        }
    }

    /**
     * Writes a time with its zone, unless a {@code @JsonFormat} says otherwise: with the feature for it, Jackson would ignore the
     * pattern when it writes, but not when it reads. As a key, a locale is its language tag, too.
     */
    private static final class Texts {
        static JsonMapper.Builder writtenBy(JsonMapper.Builder builder) {
            return builder.addModule(new SimpleModule("stampede-texts")
                    .setSerializerModifier(new JsonCodecNames.HiddenFields())
                    .addSerializer(
                            ZonedDateTime.class, new ZonedDateTimeSerializer(DateTimeFormatter.ISO_ZONED_DATE_TIME))
                    .addSerializer(Month.class, new MonthWriter())
                    .addKeySerializer(ZonedDateTime.class, key(DateTimeFormatter.ISO_ZONED_DATE_TIME::format))
                    .addKeySerializer(Locale.class, key(each -> each.equals(Locale.ROOT) ? "" : each.toLanguageTag())));
        }

        private static <K> ValueSerializer<K> key(Function<K, String> text) {
            return new ValueSerializer<K>() {
                @Override
                public void serialize(K key, JsonGenerator generator, SerializationContext context) {
                    generator.writeName(text.apply(key));
                }
            };
        }
    }

    /** Jackson writes a month as an array of one number if a {@code @JsonFormat} asks for a number, and does not read that. */
    private static final class MonthWriter extends MonthSerializer {
        MonthWriter() {
            super(null);
        }

        @Override
        protected MonthSerializer withFormat(
                @Nullable DateTimeFormatter pattern, @Nullable Boolean isArray, JsonFormat.@Nullable Shape shape) {
            return super.withFormat(pattern, null, null);
        }
    }

    /**
     * {@return a new codec for another version of the values, otherwise identical to this one} Raise the version when the class
     * has changed so that older processes could not decode the new values, or the other way around.
     *
     * @param version from 0 to 65,535; 1 if it was never set
     * @throws IllegalArgumentException if the version is out of range
     */
    public JsonCodec<V> version(int version) {
        return new JsonCodec<>(reader, name, version);
    }

    /**
     * {@return a new codec for entries of a type of the given name, otherwise identical to this one} By default it is the name of
     * the declared type with its type arguments, such as {@code com.acme.User} or {@code java.util.List<com.acme.User>}; entries
     * of another name are left alone. With its former name, a class that was renamed or moved keeps its entries.
     *
     * @param name the name, not blank
     * @throws IllegalArgumentException if the name is blank
     */
    public JsonCodec<V> named(String name) {
        return new JsonCodec<>(reader, name, identity.version());
    }

    @Override
    public CodecIdentity identity() {
        return identity;
    }

    @Override
    public byte[] encode(V value) {
        return reader.encode(value);
    }

    @Override
    public V decode(ByteBuffer payload) {
        return requireNonNull(reader.read(payload), "JSON null is not a value");
    }
}
