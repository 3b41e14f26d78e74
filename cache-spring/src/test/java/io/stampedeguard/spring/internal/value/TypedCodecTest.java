package io.stampedeguard.spring.internal.value;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.OtherVersionException;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;

/** Values of all types, as entries contain them. */
final class TypedCodecTest {
    record Product(long id, String name, @Nullable BigDecimal price) implements Serializable {}

    /** A later version of a class in another process: it may have more. */
    record Box<T>(T content) implements Serializable {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class)})
    sealed interface Shape extends Serializable {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    static class Bean implements Serializable {
        private static final long serialVersionUID = 1;

        private String name = "";

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Bean bean && bean.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    private static final Product PRODUCT = new Product(7, "Atlas", new BigDecimal("19.90"));

    private final ValueTypes types = new ValueTypes(Map.of());

    private static Bean bean(String name) {
        Bean bean = new Bean();
        bean.setName(name);
        return bean;
    }

    private static Type type(ParameterizedTypeReference<?> reference) {
        return reference.getType();
    }

    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of(String.class, "text"),
                Arguments.of(int.class, 1),
                Arguments.of(Long.class, Long.MAX_VALUE),
                Arguments.of(double.class, 0.1),
                Arguments.of(boolean.class, true),
                Arguments.of(BigDecimal.class, new BigDecimal("1.50")),
                Arguments.of(UUID.class, new UUID(1, 2)),
                Arguments.of(TimeUnit.class, TimeUnit.DAYS),
                Arguments.of(Instant.class, Instant.ofEpochSecond(1, 123_456_789)),
                Arguments.of(LocalDate.class, LocalDate.of(2026, 11, 28)),
                Arguments.of(ZonedDateTime.class, ZonedDateTime.parse("2026-11-28T06:00:00+01:00[Europe/Berlin]")),
                Arguments.of(byte[].class, new byte[] {1, 2}),
                Arguments.of(String[].class, new String[] {"a", "b"}),
                Arguments.of(Product.class, PRODUCT),
                Arguments.of(Bean.class, bean("name")),
                Arguments.of(Shape.class, new Circle(1)),
                Arguments.of(Object.class, "text"),
                Arguments.of(type(new ParameterizedTypeReference<List<Product>>() {}), List.of(PRODUCT)),
                Arguments.of(type(new ParameterizedTypeReference<Iterable<Product>>() {}), List.of(PRODUCT)),
                Arguments.of(
                        type(new ParameterizedTypeReference<List<Shape>>() {}), List.of(new Circle(1), new Square(2))),
                Arguments.of(type(new ParameterizedTypeReference<Set<Long>>() {}), Set.of(1L, 2L)),
                Arguments.of(
                        type(new ParameterizedTypeReference<Map<String, List<Product>>>() {}),
                        Map.of("a", List.of(PRODUCT))),
                Arguments.of(type(new ParameterizedTypeReference<Optional<String>>() {}), Optional.of("a")),
                Arguments.of(
                        type(new ParameterizedTypeReference<Box<Box<Product>>>() {}), new Box<>(new Box<>(PRODUCT))),
                Arguments.of(
                        type(new ParameterizedTypeReference<Box<Product>[]>() {}), new Box<?>[] {new Box<>(PRODUCT)}));
    }

    private TypedCodec codec(Format format, int version) {
        return (TypedCodec) types.codec("products", Values.AUTO, format, version);
    }

    @ParameterizedTest
    @MethodSource("values")
    void jsonIsReadBackAsWritten(Type type, Object value) throws Exception {
        requireReadBack(codec(Format.JSON, 1), type, value);
    }

    @ParameterizedTest
    @MethodSource("values")
    void javaIsReadBackAsWritten(Type type, Object value) throws Exception {
        if (!(value instanceof Optional)) { // is not serializable
            requireReadBack(codec(Format.JAVA, 1), type, value);
        }
    }

    private void requireReadBack(TypedCodec codec, Type type, Object value) throws Exception {
        DeclaredValue declared = types.declare(type, null);
        byte[] payload = codec.encode(new TypedValue(declared, value));

        TypedValue back = codec.decode(ByteBuffer.wrap(payload));

        assertThat(back.type()).isSameAs(declared);
        assertThat(new Object[] {back.value()}).isEqualTo(new Object[] {value});
    }

    @Test
    void payloadBeginsWithTheSameIdInAllProcesses() throws Exception {
        byte[] payload = codec(Format.JSON, 1).encode(new TypedValue(types.declare(String.class, null), "a"));

        assertThat(payload).hasSize(13).endsWith("\"a\"".getBytes(StandardCharsets.UTF_8));
        assertThat(ByteBuffer.wrap(payload).getLong()).isEqualTo(0x73cc7ce309d9be85L);
        assertThat(payload)
                .isEqualTo(((TypedCodec) new ValueTypes(Map.of()).codec("other", Values.COPIED, Format.JSON, 2))
                        .encode(new TypedValue(new ValueTypes(Map.of()).declare(String.class, null), "a")));
    }

    @Test
    void declaredTypesAreOneForEachType() {
        Type list = type(new ParameterizedTypeReference<List<Product>>() {});

        assertThat(types.declare(list, null))
                .isSameAs(types.declare(type(new ParameterizedTypeReference<List<? extends Product>>() {}), null))
                .isNotSameAs(types.declare(List.class, null));
        assertThat(types.declare(int.class, null)).isSameAs(types.declare(Integer.class, null));
    }

    /** An id must never stand for two types. */
    @Test
    void twoTypesOfOneIdAreRejected() throws Exception {
        types.declare(Product.class, null);
        Class<?> twin = new Twins().loadClass(Product.class.getName());

        assertThatIllegalStateException()
                .isThrownBy(() -> types.declare(twin, null))
                .withMessageContaining("have the same hash, or are two classes of one name: rename one");
    }

    /** Loads the classes of this test once more. */
    private static final class Twins extends ClassLoader {
        Twins() {
            super(TypedCodecTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(TypedCodecTest.class.getName())) {
                return super.loadClass(name, resolve);
            }
            try (InputStream code = requireNonNull(getResourceAsStream(name.replace('.', '/') + ".class"))) {
                byte[] bytes = code.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void typeThatNoMethodDeclaresIsMissAndReplaced() throws Exception {
        byte[] payload = codec(Format.JSON, 1).encode(new TypedValue(types.declare(Product.class, null), PRODUCT));
        ValueTypes others = new ValueTypes(Map.of());
        others.declare(Bean.class, null);
        TypedCodec other = (TypedCodec) others.codec("products", Values.AUTO, Format.JSON, 1);

        assertThatExceptionOfType(OtherVersionException.class)
                .isThrownBy(() -> other.decode(ByteBuffer.wrap(payload)))
                .matches(OtherVersionException::isOlder);
    }

    @Test
    void entryOfAnotherFormatOrVersionHasAnotherIdentity() {
        assertThat(Stream.of(codec(Format.JSON, 1), codec(Format.JSON, 2), codec(Format.JAVA, 1))
                        .map(TypedCodec::identity))
                .containsExactly(
                        new CodecIdentity("spring-json", 1),
                        new CodecIdentity("spring-json", 2),
                        new CodecIdentity("spring-java", 1));
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void damagedPayloadIsAnException(Format format) throws Exception {
        TypedCodec codec = codec(format, 1);
        byte[] payload = codec.encode(new TypedValue(types.declare(Product.class, null), PRODUCT));

        for (int length = 0; length < payload.length; length++) {
            byte[] part = Arrays.copyOf(payload, length);
            assertThatThrownBy(() -> codec.decode(ByteBuffer.wrap(part))).isInstanceOf(Exception.class);
        }
    }

    @Test
    void payloadMayBeginAnywhereInItsArray() throws Exception {
        for (Format format : Format.values()) {
            TypedCodec codec = codec(format, 1);
            TypedValue value = new TypedValue(types.declare(Product.class, null), PRODUCT);
            byte[] payload = codec.encode(value);
            ByteBuffer shifted = ByteBuffer.allocate(payload.length + 7)
                    .position(5)
                    .put(payload)
                    .flip()
                    .position(5);

            assertThat(codec.decode(shifted)).isEqualTo(value);
            assertThat(codec.decode(shifted.position(5).slice())).isEqualTo(value);
        }
    }

    /** A codec of the user for one type, in two versions, which reads an array from the position on. */
    private static ValueCodec<Product> own(int version) {
        return new ValueCodec<>() {
            @Override
            public byte[] encode(Product value) {
                return Long.toString(value.id()).getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public Product decode(ByteBuffer payload) {
                String id =
                        new String(payload.array(), payload.position(), payload.remaining(), StandardCharsets.UTF_8);
                return new Product(Long.parseLong(id), "", null);
            }

            @Override
            public CodecIdentity identity() {
                return new CodecIdentity("own", version);
            }
        };
    }

    private static TypedCodec codecWith(ValueTypes types) {
        return (TypedCodec) types.codec("products", Values.AUTO, Format.JSON, 1);
    }

    @Test
    void codecOfTheUserEncodesItsType() throws Exception {
        ValueTypes withOwn = new ValueTypes(Map.of(Product.class, own(3)));
        TypedValue value = new TypedValue(withOwn.declare(Product.class, null), new Product(7, "", null));
        byte[] payload = codecWith(withOwn).encode(value);

        assertThat(payload).hasSize(11).endsWith("7".getBytes(StandardCharsets.UTF_8));
        assertThat(codecWith(withOwn).decode(ByteBuffer.wrap(payload))).isEqualTo(value);
        assertThatExceptionOfType(OtherVersionException.class)
                .as("JSON of that type is another type")
                .isThrownBy(() -> codecWith(withOwn)
                        .decode(ByteBuffer.wrap(codec(Format.JSON, 1)
                                .encode(new TypedValue(types.declare(Product.class, null), PRODUCT)))));
    }

    @Test
    void olderVersionOfTheUsersCodecIsReplacedAndNewerOneStays() throws Exception {
        ValueTypes two = new ValueTypes(Map.of(Product.class, own(2)));
        ValueTypes three = new ValueTypes(Map.of(Product.class, own(3)));
        byte[] ofTwo = codecWith(two).encode(new TypedValue(two.declare(Product.class, null), PRODUCT));
        byte[] ofThree = codecWith(three).encode(new TypedValue(three.declare(Product.class, null), PRODUCT));

        assertThatExceptionOfType(OtherVersionException.class)
                .isThrownBy(() -> codecWith(three).decode(ByteBuffer.wrap(ofTwo)))
                .matches(OtherVersionException::isOlder);
        assertThatExceptionOfType(OtherVersionException.class)
                .isThrownBy(() -> codecWith(two).decode(ByteBuffer.wrap(ofThree)))
                .matches(e -> !e.isOlder());
    }

    @Test
    void methodMayReturnAnotherMethodsValueOfItsOwnType() {
        DeclaredValue product = types.declare(Product.class, null);
        DeclaredValue object = types.declare(Object.class, null);
        DeclaredValue products = types.declare(type(new ParameterizedTypeReference<List<Product>>() {}), null);
        DeclaredValue beans = types.declare(type(new ParameterizedTypeReference<List<Bean>>() {}), null);

        assertThat(new TypedValue(product, PRODUCT).isOf(product)).isTrue();
        assertThat(new TypedValue(product, PRODUCT).isOf(object)).isTrue();
        assertThat(new TypedValue(product, PRODUCT).isOf(types.declare(Bean.class, null)))
                .isFalse();
        assertThat(new TypedValue(products, List.of(PRODUCT)).isOf(products)).isTrue();
        assertThat(new TypedValue(products, List.of(PRODUCT)).isOf(beans)).isFalse();
    }

    @Test
    void valuePutByHandHasTheTypeItsCacheDeclares() {
        DeclaredValue products = types.declare(type(new ParameterizedTypeReference<List<Product>>() {}), null);
        DeclaredValue shape = types.declare(Shape.class, null);
        DeclaredValue circle = types.declare(Circle.class, null);

        assertThat(types.declareFor(List.of(PRODUCT), List.of(products, shape))).isSameAs(products);
        assertThat(types.declareFor(new Square(1), List.of(products, shape, circle)))
                .isSameAs(shape);
        assertThat(types.declareFor(new Circle(1), List.of(products, shape, circle)))
                .isSameAs(circle);
        assertThat(types.declareFor(PRODUCT, List.of()).type()).isEqualTo(Product.class);
        assertThat(types.declareFor(List.of(1), List.of()).type()).isEqualTo(List.class);
        assertThat(types.declareFor(TimeUnit.DAYS, List.of()).type()).isEqualTo(TimeUnit.class);
    }
}
