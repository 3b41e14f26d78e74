package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What both codecs for JSON do: values are decoded as they were, each codec reads what the other has written, anything
 * that is not the JSON of a value is rejected, and stored bytes never choose the classes that are instantiated.
 */
abstract class JsonContract {
    record Product(long id, String name, @Nullable Instant since, List<String> tags) {}

    record Parcel(@Nullable Object content) {}

    record Meeting(ZonedDateTime start, OffsetDateTime end, OffsetTime daily, Map<ZonedDateTime, String> rooms) {
        static Meeting in(String zone, String offset) {
            LocalDateTime local = LocalDateTime.of(2024, 10, 27, 2, 30, 0, 123_456_789); // twice in Paris
            ZonedDateTime start = ZonedDateTime.of(local, ZoneId.of(zone)).withLaterOffsetAtOverlap();
            OffsetDateTime end = local.atOffset(ZoneOffset.of(offset));
            return new Meeting(start, end, end.toOffsetTime(), Map.of(start, "A1"));
        }
    }

    record Order(
            Color color,
            BigDecimal price,
            Duration delivery,
            LocalDate day,
            byte[] @Nullable [] seals,
            Map<String, Integer> items) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other != null && other.toString().equals(toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            return color + " " + price + " " + delivery + " " + day + " " + java.util.Arrays.deepToString(seals) + " "
                    + new java.util.TreeMap<>(items);
        }
    }

    /** Both codecs encode a constant as its text. */
    enum Color {
        RED;

        @Override
        public String toString() {
            return "as red as can be";
        }
    }

    /** A bean whose property begins with several capital letters. */
    static final class Link {
        private String url = "";

        static Link to(String url) {
            Link link = new Link();
            link.url = url;
            return link;
        }

        public String getURL() {
            return url;
        }

        public void setURL(String url) {
            this.url = url;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Link link && link.url.equals(url);
        }

        @Override
        public int hashCode() {
            return url.hashCode();
        }
    }

    /** A class that counts its instances per thread: the tests of the codecs run at the same time. */
    static final class Gadget {
        static final ThreadLocal<AtomicInteger> MADE = ThreadLocal.withInitial(AtomicInteger::new);

        public int setting;

        Gadget() {
            MADE.get().incrementAndGet();
        }
    }

    static final Product PRODUCT =
            new Product(42, "smörgås \ud83e\udd6a", Instant.parse("2026-11-20T10:15:30.123456789Z"), List.of("a", "b"));

    private static final String GADGET = Gadget.class.getName();

    abstract <V> ValueCodec<V> codec(Class<V> type);

    /** The exception type of the other Jackson. */
    abstract <V> ValueCodec<V> other(Class<V> type);

    /** The exception type that Jackson throws. */
    abstract Class<? extends Exception> refusal();

    static List<Object> values() {
        return List.of(
                PRODUCT,
                new Product(-1, "", null, List.of()),
                new Order(
                        Color.RED,
                        new BigDecimal("1.50"),
                        Duration.ofMillis(90_061_500),
                        LocalDate.of(2026, 11, 20),
                        new byte[][] {{1, -1}, {}},
                        Map.of("lamp", 2)),
                Meeting.in("Europe/Paris", "+02:00"),
                Meeting.in("UTC", "Z"),
                Meeting.in("UTC+01:00", "-03:30"),
                Trinket.of("found by its module"),
                new Parcel(null),
                Link.to("https://example.org"),
                Color.RED,
                "text",
                42L);
    }

    @BeforeEach
    void nothingIsMadeYet() {
        Gadget.MADE.get().set(0);
    }

    @ParameterizedTest
    @MethodSource("values")
    <V> void valueComesBackAsItWas(V value) throws Exception {
        ValueCodec<V> codec = codec(typeOf(value));

        assertThat(codec.decode(ByteBuffer.wrap(codec.encode(value)))).isEqualTo(value);
    }

    @ParameterizedTest
    @MethodSource("values")
    <V> void otherCodecReadsWhatThisOneWrites(V value) throws Exception {
        byte[] bytes = codec(typeOf(value)).encode(value);

        assertThat(other(typeOf(value)).decode(ByteBuffer.wrap(bytes))).isEqualTo(value);
    }

    @SuppressWarnings("unchecked") // of the values of the test only, none of which is generic
    private static <V> Class<V> typeOf(V value) {
        return (Class<V>) value.getClass();
    }

    @Test
    void bothCodecsHaveOneIdentity() {
        assertThat(codec(Product.class).identity())
                .isEqualTo(new CodecIdentity("json:" + Product.class.getName(), 1))
                .isEqualTo(other(Product.class).identity());
    }

    @Test
    void propertyThatALaterVersionOfTheClassAddedIsIgnored() throws Exception {
        assertThat(codec(Parcel.class).decode(json("{\"content\":\"lamp\",\"weight\":3}")))
                .isEqualTo(new Parcel("lamp"));
    }

    record Customer(long id, String email) {}

    record Basket(List<Customer> customers) {}

    static final class Account {
        public long id;
        private Object email = "none";

        public Object getEmail() {
            return email;
        }

        public void setEmail(Object email) {
            this.email = email;
        }
    }

    static final class Mixed {
        public final long id;
        public int total;
        public @Nullable Account account;

        @JsonCreator
        Mixed(@JsonProperty("id") long id) {
            this.id = id;
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Tolerant(String email) {}

    static final class OnlyEmail {
        public String email = "none";
    }

    record Optionals(
            long id,
            @Nullable String nullable,
            @JsonProperty(defaultValue = "5") Integer defaulted,
            @JsonInclude(JsonInclude.Include.NON_NULL) String omitted,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) int zero,

            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String unwritten) {}

    static final class OptionalFields {
        public long id;
        public @Nullable String nullable;

        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        public List<String> omitted = List.of();

        private String unwritten = "";

        public void setUnwritten(String unwritten) {
            this.unwritten = unwritten;
        }

        String unwritten() {
            return unwritten;
        }
    }

    /** Like a class of Kotlin, has no value without its properties. */
    record Strict(long id, String email) {
        Strict {
            Objects.requireNonNull(email);
        }
    }

    record Secret(String name, String secret) {}

    record Disclosed(@JsonIgnoreProperties("secret") Secret part) {}

    /** The same classes, at places where properties are left out, and where they are not. */
    record Both(
            @JsonIgnoreProperties("secret") Secret ignored,
            @JsonIncludeProperties("name") Map<String, List<Secret>> included,
            Secret whole,
            @JsonIgnoreProperties("email") Account account,
            Account complete) {
        static Both of(String text) {
            Secret secret = new Secret("n", text);
            return new Both(secret, Map.of("k", List.of(secret)), secret, new Account(), new Account());
        }
    }

    private static Stream<Arguments> lacking() {
        return Stream.of(
                Arguments.of(Customer.class, "{\"id\":1}", true),
                Arguments.of(Customer.class, "{\"email\":\"a\"}", true),
                Arguments.of(Customer.class, "{\"id\":1,\"mail\":\"a\"}", false),
                Arguments.of(Basket.class, "{\"customers\":[{\"id\":1,\"email\":\"a\"},{\"id\":2}]}", true),
                Arguments.of(Basket.class, "{\"customers\":[{\"id\":2}],\"email\":\"a\"}", false),
                Arguments.of(Account.class, "{\"id\":1}", true),
                Arguments.of(Account.class, "{\"email\":\"a\"}", true),
                Arguments.of(Account.class, "{\"id\":1,\"mail\":\"a\"}", false),
                Arguments.of(Account.class, "{}", true),
                Arguments.of(OnlyEmail.class, "{\"mail\":\"a\"}", false),
                Arguments.of(Mixed.class, "{\"total\":2,\"account\":null}", true),
                Arguments.of(Mixed.class, "{\"id\":1,\"account\":null}", true),
                Arguments.of(Mixed.class, "{\"account\":{\"id\":1},\"id\":1,\"total\":2}", true),
                Arguments.of(WrappingCreators.class, "{\"id\":1,\"email\":\"a\",\"m_id\":2}", true),
                Arguments.of(Holder.class, "{\"whole\":{\"id\":1},\"wrapping\":{\"more\":1},\"records\":[]}", true),
                Arguments.of(Strict.class, "{\"id\":1}", true),
                Arguments.of(Strict.class, "{\"id\":1,\"mail\":\"a\"}", false),
                Arguments.of(Tolerant.class, "{\"mail\":\"a\"}", false));
    }

    @ParameterizedTest
    @MethodSource("lacking")
    void jsonWithoutAPropertyIsOfAnotherVersion(Class<?> type, String text, boolean isOlder) {
        assertThatThrownBy(() -> codec(type).decode(json(text)))
                .isInstanceOfSatisfying(
                        OtherVersionException.class,
                        e -> assertThat(e.isOlder()).isEqualTo(isOlder));
    }

    @ParameterizedTest
    @ValueSource(classes = {Optionals.class, OptionalFields.class})
    void propertyThatIsOptionalByDeclarationMayBeMissing(Class<?> type) throws Exception {
        assertThat(codec(type).decode(json("{\"id\":1}"))).isInstanceOf(type);
    }

    @Test
    void completeBeanWithAConstructorComesBackWhateverTheOrder() throws Exception {
        Mixed mixed = codec(Mixed.class)
                .decode(json("{\"account\":{\"email\":\"a\",\"id\":3},\"total\":2,\"id\":1,\"more\":[{\"id\":4}]}"));

        assertThat(List.of(mixed.id, mixed.total, mixed.account.id, mixed.account.getEmail()))
                .containsExactly(1L, 2, 3L, "a");
    }

    static final class Wrapping {
        @JsonUnwrapped
        public @Nullable OnlyEmail inside;

        public int more;
    }

    /** Has creator parameters, as a record. */
    static final class Made {
        public final long id;

        @JsonCreator
        Made(@JsonProperty("id") long id) {
            this.id = id;
        }
    }

    static final class WrappingCreators {
        @JsonUnwrapped
        public @Nullable Customer inside;

        @JsonUnwrapped(prefix = "m_")
        public @Nullable Made made;

        public int more;
    }

    record WrappingRecord(
            int more,
            @Nullable @JsonUnwrapped(prefix = "c_") Customer customer) {}

    record Holder(Customer whole, WrappingCreators wrapping, List<WrappingRecord> records) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Square.class, name = "square")
    })
    interface Shape {}

    record Circle(int radius) implements Shape {}

    static final class Square implements Shape {
        public int side;
        public @Nullable Shape inside;
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    static final class Linked {
        public int id;
        public String text = "";
        public @Nullable Linked next;
    }

    private static Stream<Arguments> compositions() {
        Wrapping wrapping = new Wrapping();
        wrapping.inside = new OnlyEmail();
        Square square = new Square();
        square.inside = new Circle(2);
        Linked linked = new Linked();
        linked.next = linked;
        return Stream.of(
                Arguments.of(Wrapping.class, wrapping),
                Arguments.of(Wrapping.class, new Wrapping()),
                Arguments.of(WrappingCreators.class, new WrappingCreators()),
                Arguments.of(WrappingRecord.class, new WrappingRecord(1, null)),
                Arguments.of(WrappingRecord.class, new WrappingRecord(1, new Customer(2, "a"))),
                Arguments.of(
                        Holder.class,
                        new Holder(
                                new Customer(1, "a"),
                                new WrappingCreators(),
                                List.of(new WrappingRecord(1, null), new WrappingRecord(2, new Customer(3, "b"))))),
                Arguments.of(Shape.class, square),
                Arguments.of(Linked.class, linked));
    }

    @ParameterizedTest
    @MethodSource("compositions")
    <V> void whatTheMapperComposesIsComplete(Class<V> type, V value) throws Exception {
        ValueCodec<V> codec = codec(type);
        byte[] bytes = codec.encode(value);

        for (int time = 0; time < 3; time++) {
            assertThat(codec.encode(codec.decode(ByteBuffer.wrap(bytes)))).startsWith('{');
        }
    }

    @Test
    void subtypeWithoutAPropertyIsOfAnotherVersion() {
        ValueCodec<Shape> codec = codec(Shape.class);

        for (String text : List.of("{\"kind\":\"circle\"}", "{\"kind\":\"square\",\"inside\":null}")) {
            assertThatThrownBy(() -> codec.decode(json(text))).isInstanceOf(OtherVersionException.class);
        }
    }

    /** The mapper does not write the property, though it would write it elsewhere. */
    @Test
    void propertyThatIsOmittedAtOnePlaceMayBeMissingThere() throws Exception {
        ValueCodec<Disclosed> codec = codec(Disclosed.class);
        byte[] bytes = codec.encode(new Disclosed(new Secret("n", "s")));

        for (int time = 0; time < 3; time++) {
            assertThat(codec.decode(ByteBuffer.wrap(bytes)).part().name()).isEqualTo("n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"secret\":\"s\"", "\"email\":\"none\""})
    void propertyThatIsOmittedAtOnePlaceIsRequiredAtAnother(String property) throws Exception {
        ValueCodec<Both> codec = codec(Both.class);
        String complete = new String(codec.encode(Both.of("s")), UTF_8);
        String lacking =
                complete.replaceFirst("," + property + "|" + property + ",|" + property, ""); // there is but one

        assertThat(lacking).isNotEqualTo(complete).doesNotContain(property);
        for (int time = 0; time < 3; time++) {
            assertThat(codec.decode(json(complete)).whole()).isEqualTo(new Secret("n", "s"));
            assertThatThrownBy(() -> codec.decode(json(lacking)))
                    .isInstanceOfSatisfying(
                            OtherVersionException.class,
                            e -> assertThat(e.isOlder()).isTrue());
        }
    }

    /** Has what no rule on annotations can know: whether the property is written depends on the value. */
    static final class Moody {
        public int level = 1;
        private int mood;

        @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = Zero.class)
        public int getMood() {
            return mood;
        }

        public void setMood(int mood) {
            this.mood = mood;
        }
    }

    static final class Zero {
        @Override
        @SuppressWarnings("EqualsUnsafeCast") // Jackson's protocol
        public boolean equals(@Nullable Object other) {
            return other == null || other.equals(0);
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    @Test
    void propertyWhoseValueIsFilteredMayBeMissing() throws Exception {
        ValueCodec<Moody> codec = codec(Moody.class);

        for (int time = 0; time < 3; time++) {
            assertThat(codec.decode(ByteBuffer.wrap(codec.encode(new Moody()))).getMood())
                    .isZero();
        }
    }

    record Painted(Color color) {}

    private static Stream<Arguments> unknowns() {
        return Stream.of(
                Arguments.of(Color.class, "\"BLUE\""),
                Arguments.of(Painted.class, "{\"color\":\"BLUE\"}"),
                Arguments.of(Palette.class, "{\"shares\":{\"BLUE\":1}}"),
                Arguments.of(Shape.class, "{\"kind\":\"oval\"}"));
    }

    record Palette(Map<Color, Integer> shares) {}

    @ParameterizedTest
    @MethodSource("unknowns")
    void unknownConstantOrSubtypeIsOfANewerVersion(Class<?> type, String text) {
        assertThatThrownBy(() -> codec(type).decode(json(text)))
                .isInstanceOfSatisfying(
                        OtherVersionException.class,
                        e -> assertThat(e.isOlder()).isFalse());
    }

    record Sum(int total) {}

    /** As after a change from {@code double} to {@code int}. */
    @Test
    void fractionIsNeverCut() {
        assertThatThrownBy(() -> codec(Sum.class).decode(json("{\"total\":12.75}")))
                .isInstanceOf(refusal());
    }

    record Texts(String total, long id) {}

    @Test
    void numbersAndTheirTextsAreConverted() throws Exception {
        assertThat(codec(Texts.class).decode(json("{\"total\":12,\"id\":\"7\"}")))
                .isEqualTo(new Texts("12", 7));
    }

    /** Getters, setters, and fields with names that conventions treat differently. */
    @SuppressWarnings("unused") // by Jackson
    static class Odd {
        public String aField = "1";
        public String URLField = "2";
        public String eMail = "3";
        public String _under = "4";
        public String Upper = "5";

        public String getURL() {
            return "6";
        }

        public void setURL(String url) {}

        public String getaBc() {
            return "7";
        }

        public void setaBc(String text) {}

        public String getABcd() {
            return "8";
        }

        public String get_x() {
            return "9";
        }

        public String get$y() {
            return "10";
        }

        public String getX1() {
            return "11";
        }

        public String get1() {
            return "12";
        }

        public boolean isX() {
            return true;
        }

        public boolean isaB() {
            return true;
        }

        public boolean isIOS() {
            return true;
        }

        public Boolean isBoxed() {
            return true;
        }

        public String isText() {
            return "13";
        }

        public String getA() {
            return "14";
        }

        public String getter() {
            return "17";
        }

        public boolean issue() {
            return true;
        }
    }

    record OddComponents(
            String URL,
            String aBc,
            boolean isX,
            String getY,
            String _u,
            String X,
            String iPhone,
            boolean is,
            String get) {}

    /** As Kotlin's compiler names the getters of {@code aBc}, {@code eTag}, and {@code isActive}. */
    @SuppressWarnings("unused") // by Jackson
    static final class LikeKotlin {
        private final String aBc = "1";
        private final String eTag = "2";
        private final String URL = "3";
        private final String xAxis = "4";
        private final boolean isActive = true;
        private String iPhone = "5";

        public String getABc() {
            return aBc;
        }

        public String getETag() {
            return eTag;
        }

        public String getURL() {
            return URL;
        }

        public String getXAxis() {
            return xAxis;
        }

        public boolean isActive() {
            return isActive;
        }

        public String getIPhone() {
            return iPhone;
        }

        public void setIPhone(String text) {
            iPhone = text;
        }
    }

    private static Stream<Object> oddNames() {
        return Stream.of(new Odd(), new OddComponents("1", "2", true, "3", "4", "5", "6", true, "7"), new LikeKotlin());
    }

    @ParameterizedTest
    @MethodSource("oddNames")
    <V> void bothCodecsNamePropertiesAlike(V value) throws Exception {
        assertThat(properties(codec(typeOf(value)).encode(value)))
                .isEqualTo(properties(other(typeOf(value)).encode(value)));
    }

    private static Map<?, ?> properties(byte[] json) throws Exception {
        return JsonCodec.of(Map.class).decode(ByteBuffer.wrap(json));
    }

    @Test
    void jsonNullIsRefused() {
        assertThatThrownBy(() -> codec(Product.class).decode(json("null")))
                .hasMessageContaining("JSON null is not a value");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[]",
                "42",
                "{\"id\":\"many\"}",
                "{\"id\":null}",
                "{\"id\":1,\"name\":\"\",\"since\":null,\"tags\":[]}{}"
            })
    void whatIsNotJsonOfTheTypeIsRefused(String text) {
        assertThatThrownBy(() -> codec(Product.class).decode(json(text))).isInstanceOf(refusal());
    }

    @Test
    void onlyTheBuffersOwnPartIsRead() throws Exception {
        ValueCodec<Product> codec = codec(Product.class);
        byte[] around = ("]]" + new String(codec.encode(PRODUCT), UTF_8) + "]]").getBytes(UTF_8);
        ByteBuffer part = ByteBuffer.wrap(around, 2, around.length - 4);

        assertThat(codec.decode(part)).isEqualTo(PRODUCT);
        assertThat(codec.decode(part.slice())).isEqualTo(PRODUCT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"%s\",{\"setting\":1}]", "{\"@class\":\"%s\",\"setting\":1}", "{\"@type\":\"%s\"}"})
    void classNamedInTheBytesIsNeverMade(String form) throws Exception {
        String named = form.formatted(GADGET);

        Object content = codec(Parcel.class).decode(json("{\"content\":" + named + "}"));
        Object bare = codec(Object.class).decode(json(named));

        assertThat(content).hasToString("Parcel[content=" + bare + "]");
        assertThat(bare).asString().as("only text").contains(GADGET);
        assertThat(Gadget.MADE.get()).hasValue(0);
    }

    @Test
    void gadgetWouldBeNoticed() throws Exception {
        assertThat(codec(Gadget.class).decode(json("{\"setting\":1}")).setting).isOne();
        assertThat(Gadget.MADE.get()).hasValue(1);
    }

    static ByteBuffer json(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
