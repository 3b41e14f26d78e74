package io.stampedeguard.spring.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import io.stampedeguard.store.InMemoryStore;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A value that cannot be read back is returned, and not stored. */
final class ReadBackTest {
    record Product(long id) {}

    /** As in Spring Data. */
    interface Page<T> extends Iterable<T> {}

    record PageOfOne<T>(T only) implements Page<T> {
        @Override
        public Iterator<T> iterator() {
            return List.of(only).iterator();
        }
    }

    static class Animal {
        public String name = "a";
    }

    static final class Dog extends Animal {
        public int age = 1;
    }

    static final class Node {
        public Node self = this;
    }

    static class ProductService {
        Page<Product> search() {
            return new PageOfOne<>(new Product(1));
        }
    }

    private final ValueTypes types = new ValueTypes(Map.of());

    private TypedCodec codec(Format format) {
        return (TypedCodec) types.codec("products", Values.AUTO, format, 1);
    }

    private static Method search() throws NoSuchMethodException {
        return ProductService.class.getDeclaredMethod("search");
    }

    private TypedValue page() throws NoSuchMethodException {
        Method search = search();
        return new TypedValue(
                types.declare(ValueTypes.valueTypeOf(search, ProductService.class), search),
                new ProductService().search());
    }

    @Test
    void messageNamesTypeMethodAndRemedy() throws Exception {
        TypedCodec codec = codec(Format.JSON);
        TypedValue page = page();

        for (int i = 0; i < 2; i++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> codec.encode(page))
                    .withMessageStartingWith(
                            "Values of Page<Product> (ProductService.search) cannot be read back from JSON: ")
                    .withMessageEndingWith(". Return a record, or define a ValueCodec bean.");
        }
    }

    @Test
    void valueIsReturnedAndNotStored() throws Exception {
        TypedValue page = page();
        TypedCodec codec = codec(Format.JSON);
        AtomicInteger loads = new AtomicInteger();
        try (StampedeGuardedCache<String, TypedValue> cache = StampedeGuardedCache.<String, TypedValue>builder("pages")
                .store(InMemoryStore.create())
                .codec(codec)
                .build()) {
            for (int i = 0; i < 3; i++) {
                assertThat(cache.get("a", key -> {
                            loads.incrementAndGet();
                            return page;
                        }))
                        .isSameAs(page);
            }
        }
        assertThat(loads).hasValue(3);
        assertThat(codec.copy(page)).as("no further fault").isSameAs(page);
    }

    @Test
    void valueThatBecomesAnObjectOfAnotherClassIsNotStored() {
        TypedCodec codec = codec(Format.JSON);
        DeclaredValue animal = types.declare(Animal.class, null);
        DeclaredValue object = types.declare(Object.class, null);
        DeclaredValue list = types.declare(List.class, null);

        assertThatNoException().isThrownBy(() -> codec.encode(new TypedValue(animal, new Animal())));
        assertThatIllegalStateException()
                .isThrownBy(() -> codec.encode(new TypedValue(animal, new Dog())))
                .withMessageContaining("cannot be read back from JSON: ")
                .withMessageContaining("Dog becomes ")
                .withMessageContaining("Animal. Return a record");
        assertThatIllegalStateException()
                .isThrownBy(() -> codec.encode(new TypedValue(object, 1L)))
                .withMessageContaining("java.lang.Long becomes java.lang.Integer");
        assertThatIllegalStateException()
                .isThrownBy(() -> codec.encode(new TypedValue(list, List.of(new Product(1)))))
                .withMessageContaining("Product becomes ");
        assertThatIllegalStateException()
                .isThrownBy(() -> codec.encode(new TypedValue(list, List.of(1, 2L))))
                .withMessageContaining("java.lang.Long becomes java.lang.Integer. ");
        assertThatNoException().isThrownBy(() -> codec.encode(new TypedValue(list, List.of("a"))));
    }

    @Test
    void elementsAreLookedForUntilThereAreSome() {
        TypedCodec codec = codec(Format.JSON);
        DeclaredValue list = types.declare(List.class, null);
        TypedValue empty = new TypedValue(list, new ArrayList<>());
        TypedValue filled = new TypedValue(list, new ArrayList<>(List.of(new Product(1))));

        assertThatNoException().isThrownBy(() -> codec.encode(empty));
        assertThatIllegalStateException().isThrownBy(() -> codec.encode(filled));
    }

    @Test
    void valueThatCannotBeWrittenIsNamedAsWell() {
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        codec(Format.JSON).encode(new TypedValue(types.declare(Node.class, null), new Node())))
                .withMessageStartingWith("Values of Node cannot be written as JSON: ");
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        codec(Format.JAVA).encode(new TypedValue(types.declare(Product.class, null), new Product(1))))
                .withMessageStartingWith("Values of Product cannot be written as Java's serialization: ")
                .withMessageContaining("NotSerializableException");
    }

    @Test
    void valueThatCannotBeWrittenIsSharedWithoutAFurtherFault() {
        TypedCodec codec = codec(Format.JSON);
        TypedValue node = new TypedValue(types.declare(Node.class, null), new Node());

        assertThatIllegalStateException().isThrownBy(() -> codec.encode(node));
        assertThat(codec.copy(node)).isSameAs(node);
    }

    @Test
    void valueThatCanBeReadOnceIsLeftToItsCaller() {
        TypedCodec codec = codec(Format.JSON);
        Iterator<String> once = List.of("a").iterator();
        TypedValue value = new TypedValue(types.declare(Iterator.class, null), once);

        assertThatIllegalStateException()
                .isThrownBy(() -> codec.encode(value))
                .withMessageContaining("Values of Iterator cannot be read back from JSON: they can be read once");
        assertThat(codec.copy(value)).isSameAs(value);
        assertThat(once.next()).isEqualTo("a");
    }

    @Test
    void onlyFirstValueOfClassIsReadBack() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        ValueCodec<Product> counting = new ValueCodec<>() {
            @Override
            public byte[] encode(Product value) {
                return new byte[] {(byte) value.id()};
            }

            @Override
            public Product decode(ByteBuffer payload) {
                reads.incrementAndGet();
                return new Product(payload.get());
            }
        };
        ValueTypes withOwn = new ValueTypes(Map.of(Product.class, counting));
        TypedCodec codec = (TypedCodec) withOwn.codec("products", Values.AUTO, Format.JSON, 1);
        DeclaredValue product = withOwn.declare(Product.class, null);

        codec.encode(new TypedValue(product, new Product(1)));
        codec.encode(new TypedValue(product, new Product(2)));

        assertThat(reads).hasValue(1);
    }

    @Test
    void codecOfTheUserThatFailsIsNamed() {
        ValueCodec<Product> failing = new FailingCodec();
        ValueTypes withOwn = new ValueTypes(Map.of(Product.class, failing));
        TypedCodec codec = (TypedCodec) withOwn.codec("products", Values.AUTO, Format.JSON, 1);
        TypedValue value = new TypedValue(withOwn.declare(Product.class, null), new Product(1));

        assertThatThrownBy(() -> codec.encode(value))
                .hasMessage("Values of Product cannot be read back from what FailingCodec has written:"
                        + " java.lang.IllegalStateException: damaged.");
    }

    static final class FailingCodec implements ValueCodec<Product> {
        @Override
        public byte[] encode(Product value) {
            return new byte[0];
        }

        @Override
        public Product decode(ByteBuffer payload) {
            throw new IllegalStateException("damaged");
        }
    }
}
