package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import io.stampedeguard.CapturedLog;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.store.InMemoryStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A value of which JSON has nothing, though it has fields, is not encoded: other callers would get it without its contents. */
final class HiddenFieldsTest {
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

    @Retention(RetentionPolicy.RUNTIME)
    @interface Entity {}

    @Entity
    static final class Annotated extends Hidden {
        @Entity
        private int id = 1;

        Annotated() {
            super("a");
        }

        int id() {
            return id;
        }
    }

    static final class WithSetter {
        private String name = "a";

        public void setName(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final class WithCreator extends Hidden {
        @JsonCreator
        WithCreator(@JsonProperty("name") String name) {
            super(name);
        }
    }

    static Stream<Object> hidden() {
        List<@Nullable Object> late = new ArrayList<>(Arrays.asList(null, "b"));
        late.add(new Heir());
        return Stream.of(
                new Hidden("a"),
                new Heir(),
                new Annotated(),
                new WithSetter(),
                new WithCreator("a"),
                List.of(new Hidden("a")),
                late,
                Set.of(new Annotated()),
                Map.of("a", List.of(new Hidden("a"))),
                new AtomicReference<>(new Hidden("a")),
                new Hidden[] {new Hidden("a")});
    }

    static Stream<ValueCodec<Object>> codecs() {
        return Stream.of(JsonCodec.of(Object.class), Jackson2Codec.of(Object.class));
    }

    @ParameterizedTest
    @MethodSource("hidden")
    void valueIsNotEncodedWithoutItsContents(Object value) {
        codecs().forEach(codec -> assertThatThrownBy(() -> codec.encode(value))
                .hasMessageStartingWith("JSON has nothing of " + HiddenFieldsTest.class.getName() + "$")
                .hasMessageContaining(" add getters or @JsonProperty, return a record, or use another codec"));
    }

    @Test
    void declaredElementIsNotEncodedWithoutItsContents() {
        ValueCodec<Map<String, Heir>> three = JsonCodec.of(new tools.jackson.core.type.TypeReference<>() {});
        ValueCodec<Map<String, Heir>> two = Jackson2Codec.of(new com.fasterxml.jackson.core.type.TypeReference<>() {});
        ValueCodec<Optional<Heir>> optional = JsonCodec.of(new tools.jackson.core.type.TypeReference<>() {});

        for (ValueCodec<Map<String, Heir>> codec : List.of(three, two)) {
            assertThatThrownBy(() -> codec.encode(Map.of("a", new Heir())))
                    .hasMessageStartingWith("JSON has nothing of " + Heir.class.getName() + ",");
        }
        assertThatThrownBy(() -> optional.encode(Optional.of(new Heir())))
                .hasMessageStartingWith("JSON has nothing of " + Heir.class.getName() + ",");
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

    record Empty() {}

    /** Has parts of which JSON has nothing, at a property and in a list, beside what it has. */
    record WithParts(
            String name,
            Hidden part,
            List<Hidden> parts,
            @Nullable Annotated annotated) {}

    @JsonAutoDetect
    static final class OfAnnotatedClass extends Hidden {
        OfAnnotatedClass() {
            super("a");
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    interface Typed {}

    static final class OfAnnotatedInterface extends Hidden implements Typed {
        OfAnnotatedInterface() {
            super("a");
        }
    }

    static final class IgnoredField {
        @JsonIgnore
        private final String secret = "a";

        @Override
        public String toString() {
            return secret;
        }
    }

    static final class IgnoredGetter {
        private final String secret = "a";

        @JsonIgnore
        public String getSecret() {
            return secret;
        }
    }

    static final class IgnoredOther extends Hidden {
        IgnoredOther() {
            super("a");
        }

        @JsonIgnore
        String secret() {
            return name();
        }
    }

    @JsonIgnoreProperties("open")
    static final class IgnoredProperties {
        public final String open = "a";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @JacksonAnnotationsInside
    @JsonIgnore
    @interface Secret {}

    static final class IgnoredByBundle {
        @Secret
        private final String secret = "a";

        @Override
        public String toString() {
            return secret;
        }
    }

    static final class WithAnyGetter {
        private final Map<String, String> all = Map.of();

        @JsonAnyGetter
        Map<String, String> all() {
            return all;
        }
    }

    /** Encoded as what it has, and empty here, by Jackson's serializers of these interfaces. */
    static final class Lines implements Iterable<String> {
        private final List<String> all = List.of();

        @Override
        public Iterator<String> iterator() {
            return all.iterator();
        }
    }

    @Entity
    static final class AnnotatedLines implements Iterable<String> {
        private final List<String> all = List.of();

        @Override
        public Iterator<String> iterator() {
            return all.iterator();
        }
    }

    static final class OwnMap extends AbstractMap<String, String> {
        private final Set<Entry<String, String>> all = Set.of();

        @Override
        public Set<Entry<String, String>> entrySet() {
            return all;
        }
    }

    static final class OwnList extends AbstractList<String> {
        private final List<String> all = List.of();

        @Override
        public String get(int index) {
            return all.get(index);
        }

        @Override
        public int size() {
            return all.size();
        }
    }

    enum Code {
        FIRST("a");

        private final String text;

        Code(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static final class ByValue extends Hidden {
        ByValue() {
            super("a");
        }

        @JsonValue
        String value() {
            return name();
        }
    }

    static Stream<Object> others() {
        return Stream.of(
                new WithoutFields(),
                new Object(),
                new Empty(),
                Map.of(),
                List.of(Map.of(), Map.of()),
                Map.of("a", Map.of()),
                new WithParts("a", new Hidden("b"), List.of(new Hidden("c")), new Annotated()),
                List.of(new WithParts("a", new Heir(), List.of(), null)),
                new OfAnnotatedClass(),
                new OfAnnotatedInterface(),
                new IgnoredField(),
                new IgnoredGetter(),
                new IgnoredOther(),
                new IgnoredProperties(),
                new IgnoredByBundle(),
                new WithAnyGetter(),
                new Lines(),
                new AnnotatedLines(),
                new OwnMap(),
                new OwnList(),
                Code.FIRST,
                List.of(Code.FIRST),
                new ByValue());
    }

    @ParameterizedTest
    @MethodSource("others")
    void whatHasNoContentsOrIsChosenByAnnotationsIsEncoded(Object value) {
        codecs().forEach(codec -> {
            try {
                assertThat(codec.encode(value)).isNotEmpty();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void mapperOfTheUserIsUsedAsItIs() throws Exception {
        ValueCodec<Hidden> three = JsonCodec.of(Hidden.class, new tools.jackson.databind.json.JsonMapper());
        ValueCodec<Hidden> two = Jackson2Codec.of(
                Hidden.class,
                com.fasterxml.jackson.databind.json.JsonMapper.builder()
                        .disable(com.fasterxml.jackson.databind.SerializationFeature.FAIL_ON_EMPTY_BEANS)
                        .build());

        for (ValueCodec<Hidden> codec : List.of(three, two)) {
            assertThat(new String(codec.encode(new Hidden("a")), UTF_8)).isEqualTo("{}");
        }
    }

    @Test
    void callerGetsTheUnstoredValueAndTheLogTheReason() {
        AtomicInteger loads = new AtomicInteger();
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<String, Hidden> cache = StampedeGuardedCache.<String, Hidden>builder("hidden")
                        .store(InMemoryStore.create())
                        .codec(JsonCodec.of(Hidden.class))
                        .build()) {
            for (int call = 1; call <= 2; call++) {
                assertThat(cache.get("a", key -> new Hidden(key + loads.incrementAndGet()))
                                .name())
                        .isEqualTo("a" + call);
            }

            assertThat(log.text())
                    .contains(
                            "the value of \'hidden:a\' is returned, but not stored",
                            "JSON has nothing of " + Hidden.class.getName());
        }
        assertThat(loads).hasValue(2);
    }
}
