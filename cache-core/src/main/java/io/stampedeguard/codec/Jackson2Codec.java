package io.stampedeguard.codec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.MapperBuilder;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.introspect.AccessorNamingStrategy;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedField;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.DefaultAccessorNamingStrategy;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.std.StdKeySerializers;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A codec of values as JSON that uses Jackson 2, an optional dependency: add {@code
 * com.fasterxml.jackson.core:jackson-databind} (2.15 or later). {@link JsonCodec} is the same for Jackson 3; each reads what
 * the other writes, unless their mappers are configured differently. The type is fixed: stored bytes do not choose classes,
 * unless the type itself has a {@code @JsonTypeInfo}. <em>Thread-safe.</em>
 *
 * <p>Entries that lack a property of the class, or have one that it does not have, are treated as by {@link JsonCodec}.
 *
 * @param <V> the type of the values
 */
@SuppressWarnings("exports") // Jackson is optional: users of this class require it
public final class Jackson2Codec<V> implements ValueCodec<V> {
    private static final int FIRST_VERSION = 1;

    private final Jackson2CodecReader<V> reader;
    private final String name;
    private final CodecIdentity identity;

    private Jackson2Codec(ObjectMapper mapper, JavaType type, Type declared) {
        this(new Jackson2CodecReader<>(mapper, type), DeclaredType.name(declared), FIRST_VERSION);
    }

    private Jackson2Codec(Jackson2CodecReader<V> reader, String name, int version) {
        this.reader = reader;
        this.name = name;
        this.identity = DeclaredType.identity(name, version);
    }

    /**
     * {@return a new codec for a class} Its mapper has the defaults of Jackson 3 (it ignores unknown properties, for example),
     * except that times keep their zones and offsets and fractions are not cut, and uses the Jackson modules on the class path,
     * such as {@code jackson-datatype-jsr310} for {@code java.time}.
     *
     * @param <V> the type of the values
     * @param type the class
     * @throws IllegalStateException if a jar of Jackson is missing, or their versions do not match; the message names it
     */
    public static <V> Jackson2Codec<V> of(Class<V> type) {
        ObjectMapper mapper = mapper();
        return new Jackson2Codec<>(mapper, mapper.constructType(requireNonNull(type, "type")), type);
    }

    /**
     * {@return a new codec for a type like {@code new TypeReference<List<Product>>() {}}, otherwise identical to {@link
     * #of(Class)}}
     *
     * @param <V> the type of the values
     * @param type the type
     */
    public static <V> Jackson2Codec<V> of(TypeReference<V> type) {
        ObjectMapper mapper = mapper();
        return new Jackson2Codec<>(mapper, mapper.constructType(requireNonNull(type, "type")), type.getType());
    }

    /**
     * {@return a new codec for a class that uses a copy of the given mapper}
     *
     * @param <V> the type of the values
     * @param type the class
     * @param mapper a mapper for JSON without default typing
     * @throws IllegalArgumentException if the mapper lets stored bytes choose classes (default typing), or is for another format
     * @throws IllegalStateException if a jar of Jackson is missing, or their versions do not match; the message names it
     */
    public static <V> Jackson2Codec<V> of(Class<V> type, ObjectMapper mapper) {
        mapper();
        String format = mapper.getFactory().getFormatName();
        if (!JsonFactory.FORMAT_NAME_JSON.equals(format)) {
            throw new IllegalArgumentException("the mapper is for " + format + " instead of JSON");
        }
        ObjectMapper copy = mapper.copy();
        JavaType javaType = copy.constructType(requireNonNull(type, "type"));
        if (copy.getDeserializationConfig().getDefaultTyper(javaType) != null) {
            throw new IllegalArgumentException(
                    "the mapper uses default typing, so stored bytes could choose classes: use a mapper without it");
        }
        return new Jackson2Codec<>(copy, javaType, type);
    }

    /**
     * Returns a mapper with those defaults of Jackson 3 that Jackson 2 has as features, which keeps zones and offsets; shows
     * whether Jackson works.
     */
    private static ObjectMapper mapper() {
        JacksonJars.requireJackson2();
        try {
            ObjectMapper mapper = JsonMapper.builder()
                    .addModule(Jackson2CodecNames.HiddenFields.module())
                    .addModules(MapperBuilder.findModules(ObjectMapper.class.getClassLoader()))
                    .enable(
                            MapperFeature.SORT_PROPERTIES_ALPHABETICALLY,
                            MapperFeature.USE_STD_BEAN_NAMING,
                            MapperFeature.ALLOW_VOID_VALUED_PROPERTIES)
                    .disable(MapperFeature.ALLOW_FINAL_FIELDS_AS_MUTATORS, MapperFeature.USE_GETTERS_AS_SETTERS)
                    .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
                    .disable(
                            SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                            SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
                            SerializationFeature.FAIL_ON_EMPTY_BEANS)
                    .enable(
                            DeserializationFeature.READ_ENUMS_USING_TO_STRING,
                            DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                            DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(
                            DeserializationFeature.ACCEPT_FLOAT_AS_INT,
                            DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                            DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                    .build();
            Names.asInJackson3(mapper);
            Texts.asInJackson3(mapper);
            mapper.writeValueAsBytes(new IntSummaryStatistics()); // any bean, which links what every bean needs
            return mapper;
        } catch (LinkageError e) {
            throw JacksonJars.mismatch(e, ObjectMapper.class, JsonParser.class, JsonProperty.class);
        } catch (IOException e) { // not Jackson's own: this class is also linked without Jackson, to say so
            throw new IllegalStateException("Jackson cannot encode a bean", e);
        }
    }

    /**
     * Names properties as Jackson 3 does, such as that of {@code getETag} by its field, {@code eTag}, and finds the subtypes of a
     * sealed type.
     */
    private static final class Names extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1;

        static void asInJackson3(ObjectMapper mapper) {
            mapper.setAccessorNaming(new Accessors());
            mapper.setAnnotationIntrospector(AnnotationIntrospector.pair(
                    mapper.getSerializationConfig().getAnnotationIntrospector(), new Names()));
        }

        @Override
        public @Nullable PropertyName findRenameByField(
                MapperConfig<?> config, AnnotatedField field, PropertyName implicit) {
            String name = implicit.getSimpleName();
            boolean isRenamed =
                    name.length() > 1 && Character.isLowerCase(name.charAt(0)) && Character.isUpperCase(name.charAt(1));
            return isRenamed ? PropertyName.construct(Character.toUpperCase(name.charAt(0)) + name.substring(1)) : null;
        }

        @Override
        public @Nullable List<NamedType> findSubtypes(Annotated of) {
            Class<?>[] permitted = of instanceof AnnotatedClass && !of.hasAnnotation(JsonSubTypes.class)
                    ? of.getRawType().getPermittedSubclasses()
                    : null;
            return permitted == null
                    ? null
                    : Stream.of(permitted)
                            .map(each -> new NamedType(each, null))
                            .toList();
        }
    }

    /**
     * Writes as Jackson 3 what older ones write otherwise: a locale is its language tag; a constant is the same text as a key and
     * as a value; and a time has its zone, unless a {@code @JsonFormat} says otherwise.
     */
    private static final class Texts extends BeanSerializerModifier {
        private static final long serialVersionUID = 1;

        static void asInJackson3(ObjectMapper mapper) {
            mapper.registerModule(new SimpleModule("stampede-texts")
                    .setSerializerModifier(new Texts())
                    .addDeserializer(Locale.class, new LocaleReader())
                    .addKeyDeserializer(Locale.class, new LocaleKeyReader()));
        }

        @Override
        public JsonSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription of, JsonSerializer<?> serializer) {
            if (of.getBeanClass() == Locale.class) {
                return new LocaleWriter();
            }
            return of.getBeanClass() == ZonedDateTime.class && isOfJsr310(serializer)
                    ? new ZoneWriter(serializer)
                    : serializer;
        }

        @Override
        public JsonSerializer<?> modifyKeySerializer(
                SerializationConfig config, JavaType key, BeanDescription of, JsonSerializer<?> serializer) {
            boolean isWrittenAsValue = serializer instanceof StdKeySerializers.EnumKeySerializer
                    || key.hasRawClass(Locale.class)
                    || (key.hasRawClass(ZonedDateTime.class) && isOfJsr310(serializer));
            return isWrittenAsValue ? new KeyWriter() : serializer;
        }

        private static boolean isOfJsr310(JsonSerializer<?> serializer) {
            return serializer.getClass().getName().startsWith("com.fasterxml.jackson.datatype.jsr310.");
        }
    }

    /** Writes a key as the text that it would be as a value. */
    private static final class KeyWriter extends JsonSerializer<Object> {
        @Override
        public void serialize(Object key, JsonGenerator generator, SerializerProvider provider) throws IOException {
            try (TokenBuffer value = new TokenBuffer(generator.getCodec(), false)) {
                provider.findValueSerializer(key.getClass(), null).serialize(key, value, provider);
                JsonParser parser = value.asParser();
                generator.writeFieldName(
                        parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : key.toString());
            }
        }
    }

    /** Ignores no pattern, as Jackson would do with the feature for zones, which it reads by the pattern. */
    private static final class ZoneWriter extends StdScalarSerializer<ZonedDateTime> implements ContextualSerializer {
        private static final long serialVersionUID = 1;

        private final transient JsonSerializer<?> byFormat;

        ZoneWriter(JsonSerializer<?> byFormat) {
            super(ZonedDateTime.class);
            this.byFormat = byFormat;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonFormat.Value format = findFormatOverrides(provider, property, ZonedDateTime.class);
            boolean isGiven =
                    format != null && (format.hasPattern() || format.getShape().isNumeric());
            return isGiven ? provider.handleSecondaryContextualization(byFormat, property) : this;
        }

        @Override
        public void serialize(ZonedDateTime value, JsonGenerator generator, SerializerProvider provider)
                throws IOException {
            generator.writeString(DateTimeFormatter.ISO_ZONED_DATE_TIME.format(value));
        }
    }

    private static final class LocaleWriter extends StdScalarSerializer<Locale> {
        private static final long serialVersionUID = 1;

        LocaleWriter() {
            super(Locale.class);
        }

        @Override
        public void serialize(Locale value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeString(value.equals(Locale.ROOT) ? "" : value.toLanguageTag());
        }
    }

    private static final class LocaleReader extends FromStringDeserializer<Locale> {
        private static final long serialVersionUID = 1;

        LocaleReader() {
            super(Locale.class);
        }

        @Override
        protected Locale _deserialize(String text, DeserializationContext context) {
            return Locale.forLanguageTag(text);
        }

        @Override
        protected Object _deserializeFromEmptyString(DeserializationContext context) {
            return Locale.ROOT;
        }
    }

    private static final class LocaleKeyReader extends KeyDeserializer {
        @Override
        public Object deserializeKey(String text, DeserializationContext context) {
            return Locale.forLanguageTag(text);
        }
    }

    /** Takes no method like {@code getaBc} or {@code get_x} for an accessor, as Jackson 3 does; older ones have no option for it. */
    private static final class Accessors extends DefaultAccessorNamingStrategy.Provider {
        private static final long serialVersionUID = 1;

        @Override
        public AccessorNamingStrategy forPOJO(MapperConfig<?> config, AnnotatedClass of) {
            return new DefaultAccessorNamingStrategy(config, of, "set", "get", "is", null) {
                @Override
                public @Nullable String findNameForIsGetter(AnnotatedMethod method, String name) {
                    return isName(name, 2) ? super.findNameForIsGetter(method, name) : null;
                }

                @Override
                public @Nullable String findNameForRegularGetter(AnnotatedMethod method, String name) {
                    return isName(name, 3) ? super.findNameForRegularGetter(method, name) : null;
                }

                @Override
                public @Nullable String findNameForMutator(AnnotatedMethod method, String name) {
                    return isName(name, 3) ? super.findNameForMutator(method, name) : null;
                }
            };
        }

        private static boolean isName(String method, int start) {
            char first = method.length() > start ? method.charAt(start) : 0;
            return Character.isLetter(first) && !Character.isLowerCase(first);
        }
    }

    /**
     * {@return a new codec for another version of the values, otherwise identical to this one} Raise the version when the class
     * has changed so that older processes could not decode the new values, or the other way around.
     *
     * @param version from 0 to 65,535; 1 if it was never set
     * @throws IllegalArgumentException if the version is out of range
     */
    public Jackson2Codec<V> version(int version) {
        return new Jackson2Codec<>(reader, name, version);
    }

    /**
     * {@return a new codec for entries of a type of the given name, otherwise identical to this one} By default it is the name of
     * the declared type with its type arguments, such as {@code com.acme.User} or {@code java.util.List<com.acme.User>}; entries
     * of another name are left alone. With its former name, a class that was renamed or moved keeps its entries.
     *
     * @param name the name, not blank
     * @throws IllegalArgumentException if the name is blank
     */
    public Jackson2Codec<V> named(String name) {
        return new Jackson2Codec<>(reader, name, identity.version());
    }

    @Override
    public CodecIdentity identity() {
        return identity;
    }

    @Override
    public byte[] encode(V value) throws JsonProcessingException {
        return reader.encode(value);
    }

    @Override
    public V decode(ByteBuffer payload) throws IOException {
        return requireNonNull(reader.read(payload), "JSON null is not a value");
    }
}
