package io.stampedeguard.spring.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;

/** Which values callers share, and which they get as copies. */
final class CopiesTest {
    record Money(BigDecimal amount, @Nullable Optional<String> note, Instant at, TimeUnit unit) {}

    record Pair<A, B>(A one, B other) {}

    record Tree(String name, @Nullable Tree left) {}

    record WithList(List<String> names) {}

    record WithDate(Date date) {}

    /** As a data class of Kotlin, or a value of Lombok. */
    static final class FinalFields {
        private final String name;

        FinalFields(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }
    }

    static class Open {
        final String name = "a";
    }

    static final class Assignable {
        String name = "a";
    }

    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    sealed interface OpenShape {}

    static non-sealed class Polygon implements OpenShape {}

    public static class Failing {
        public String getName() {
            throw new IllegalStateException("no session");
        }
    }

    /** As an entity of JPA. */
    public static class Customer {
        public String name = "";

        public Customer() {}

        Customer(String name) {
            this.name = name;
        }
    }

    private static Type type(ParameterizedTypeReference<?> reference) {
        return SignatureTypes.normal(reference.getType());
    }

    static Stream<Type> immutable() {
        return Stream.of(
                String.class,
                int.class,
                Long.class,
                BigDecimal.class,
                UUID.class,
                Locale.class,
                Instant.class,
                java.time.ZonedDateTime.class,
                java.time.ZoneId.class,
                TimeUnit.class,
                Money.class,
                Tree.class,
                FinalFields.class,
                Shape.class,
                type(new ParameterizedTypeReference<Optional<Money>>() {}),
                type(new ParameterizedTypeReference<Pair<String, Pair<Long, Money>>>() {}));
    }

    @ParameterizedTest
    @MethodSource("immutable")
    void immutableTypesAreShared(Type type) {
        assertThat(Immutability.isImmutable(type)).isTrue();
    }

    static Stream<Type> mutable() {
        return Stream.of(
                Object.class,
                Number.class,
                CharSequence.class,
                StringBuilder.class,
                Date.class,
                byte[].class,
                List.class,
                WithList.class,
                WithDate.class,
                Open.class,
                Assignable.class,
                OpenShape.class,
                Customer.class,
                Pair.class,
                type(new ParameterizedTypeReference<List<String>>() {}),
                type(new ParameterizedTypeReference<Optional<Customer>>() {}),
                type(new ParameterizedTypeReference<Pair<String, Customer>>() {}));
    }

    @ParameterizedTest
    @MethodSource("mutable")
    void otherTypesAreNot(Type type) {
        assertThat(Immutability.isImmutable(type)).isFalse();
    }

    private final ValueTypes types = new ValueTypes(Map.of());

    private Object copy(Values mode, Type type, Object value) {
        return types.codec("products", mode, Format.JSON, 1)
                .copy(new TypedValue(types.declare(type, null), value))
                .value();
    }

    @Test
    void entityNeverReachesTwoCallers() {
        Customer customer = new Customer("Ada");

        Object copy = copy(Values.AUTO, Customer.class, customer);

        assertThat(copy).isNotSameAs(customer).usingRecursiveComparison().isEqualTo(customer);
        assertThat(copy(Values.SHARED, Customer.class, customer)).isSameAs(customer);
    }

    @Test
    void immutableValueIsCopiedOnlyIfAskedFor() {
        Tree tree = new Tree("a", null);
        TypedValue value = new TypedValue(types.declare(Tree.class, null), tree);

        assertThat(types.codec("trees", Values.AUTO, Format.JSON, 1).copy(value))
                .isSameAs(value);
        assertThat(copy(Values.COPIED, Tree.class, tree)).isEqualTo(tree).isNotSameAs(tree);
    }

    @Test
    void immutableValueOfOpenTypeIsShared() {
        assertThat(Stream.of("text", 1L, TimeUnit.DAYS, new Circle(1)))
                .allSatisfy(each ->
                        assertThat(copy(Values.AUTO, Object.class, each)).isSameAs(each));
    }

    static Stream<Arguments> containers() {
        Type list = type(new ParameterizedTypeReference<List<String>>() {});
        Type set = type(new ParameterizedTypeReference<Set<String>>() {});
        Type map = type(new ParameterizedTypeReference<Map<String, Money>>() {});
        return Stream.of(
                Arguments.of(list, new ArrayList<>(Arrays.asList("a", null))),
                Arguments.of(list, Arrays.asList("a", "b")),
                Arguments.of(list, Collections.unmodifiableList(new ArrayList<>(List.of("a")))),
                Arguments.of(set, new HashSet<>(Set.of("a"))),
                Arguments.of(set, Collections.newSetFromMap(new HashMap<>())),
                Arguments.of(map, new HashMap<>()),
                Arguments.of(map, new LinkedHashMap<>()),
                Arguments.of(String[].class, new String[] {"a"}),
                Arguments.of(byte[].class, new byte[] {1}));
    }

    @ParameterizedTest
    @MethodSource("containers")
    void containersAreCopied(Type type, Object value) {
        Object copy = copy(Values.AUTO, type, value);

        assertThat(copy).isNotSameAs(value);
        assertThat(new Object[] {copy}).isEqualTo(new Object[] {value});
    }

    @Test
    void immutableContainerOfImmutableElementsIsShared() {
        Type list = type(new ParameterizedTypeReference<List<String>>() {});
        List<String> value = List.of("a", "b", "c");

        assertThat(copy(Values.AUTO, list, value)).isSameAs(value);
    }

    @Test
    void elementsThatCanBeChangedAreCopiedAsWell() {
        Type list = type(new ParameterizedTypeReference<List<Customer>>() {});
        List<Customer> value = List.of(new Customer("Ada"));

        List<?> copy = (List<?>) copy(Values.AUTO, list, value);

        assertThat(copy.get(0))
                .isNotSameAs(value.get(0))
                .usingRecursiveComparison()
                .isEqualTo(value.get(0));
    }

    @Test
    void codecOfTheUserCopiesItsValues() {
        MutableValueCodec<Customer> own = new MutableValueCodec<>() {
            @Override
            public Customer copy(Customer value) {
                return new Customer("copy of " + value.name);
            }

            @Override
            public byte[] encode(Customer value) {
                throw new IllegalStateException();
            }

            @Override
            public Customer decode(ByteBuffer payload) {
                throw new IllegalStateException();
            }
        };
        ValueTypes withOwn = new ValueTypes(Map.of(Customer.class, own));
        TypedValue value = new TypedValue(withOwn.declare(Customer.class, null), new Customer("Ada"));

        assertThat(withOwn.codec("customers", Values.AUTO, Format.JSON, 1)
                        .copy(value)
                        .value())
                .extracting("name")
                .isEqualTo("copy of Ada");
    }

    @Test
    void valueThatCannotBeCopiedIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> copy(Values.AUTO, Failing.class, new Failing()))
                .withMessage("values of Failing cannot be copied");
    }
}
