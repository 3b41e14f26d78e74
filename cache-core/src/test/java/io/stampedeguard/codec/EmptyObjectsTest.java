package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What JSON would have nothing of is not encoded: other callers would get it without its contents. */
final class EmptyObjectsTest {
    /** Has the accessors of a record, which Jackson does not know. */
    static class Hidden {
        private final String name;

        Hidden(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }
    }

    static final class Heir extends Hidden {
        Heir() {
            super("a");
        }
    }

    static final class WithoutFields {
        static final String KIND = "a";
        private transient int hash;

        @Override
        public int hashCode() {
            hash = hash == 0 ? KIND.hashCode() : hash;
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof WithoutFields;
        }
    }

    /** A part that is not the value's contents, such as what Hibernate's proxies have. */
    record WithAPart(String name, Hidden part, Map<String, String> none) {}

    record Empty() {}

    static Stream<ValueCodec<Object>> codecs() {
        return Stream.of(JsonCodec.of(Object.class), Jackson2Codec.of(Object.class));
    }

    static Stream<Object> hidden() {
        List<@Nullable Object> late = new ArrayList<>(Arrays.asList(null, null));
        late.add(new Heir());
        return Stream.of(
                new Hidden("a"),
                new Heir(),
                List.of(new Hidden("a")),
                late,
                Map.of("a", List.of(new Hidden("a"))),
                Optional.of(new Hidden("a")),
                new Hidden[] {new Hidden("a")});
    }

    @ParameterizedTest
    @MethodSource("hidden")
    void valueIsNotEncodedWithoutItsContents(Object value) {
        int codecs = value instanceof Optional ? 1 : 2; // Jackson 2 needs a module for it
        codecs().limit(codecs)
                .forEach(codec -> assertThatThrownBy(() -> codec.encode(value))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(Hidden.class.getEnclosingClass().getTypeName())
                        .hasMessageContaining("neither getters nor public fields"));
    }

    static Stream<Object> others() {
        return Stream.of(
                new WithoutFields(),
                new Empty(),
                Map.of(),
                List.of(Map.of(), Map.of()),
                Map.of("a", Map.of()),
                List.of(new WithAPart("a", new Hidden("b"), Map.of())));
    }

    @ParameterizedTest
    @MethodSource("others")
    void whatHasNoContentsOrAnEmptyPartIsEncoded(Object value) {
        codecs().forEach(codec -> {
            try {
                assertThat(new String(codec.encode(value), UTF_8)).contains("{}");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }
}
