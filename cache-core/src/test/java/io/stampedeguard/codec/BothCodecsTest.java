package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of many classes: what one codec for JSON has written, it and the other one read as it was. */
final class BothCodecsTest {
    private static final ZonedDateTime PARIS = ZonedDateTime.of(2026, 1, 2, 3, 4, 5, 0, ZoneId.of("Europe/Paris"));
    private static final long MILLIS = 1_700_000_000_123L;

    enum Code {
        @JsonProperty("ex")
        FIRST,
        SECOND;

        @Override
        public String toString() {
            return "t" + ordinal();
        }
    }

    enum Coded {
        FIRST,
        SECOND;

        @JsonValue
        String value() {
            return "v" + ordinal();
        }
    }

    enum Numbered {
        FIRST,
        SECOND;

        @JsonValue
        int value() {
            return ordinal() + 10;
        }
    }

    enum WithBody {
        FIRST {
            @Override
            int value() {
                return 1;
            }
        },
        SECOND {
            @Override
            int value() {
                return 2;
            }
        };

        abstract int value();
    }

    record Months(Month month, Set<Month> set, Map<Month, Integer> map, Month[] array, List<Month> list) {
        static Months of(Month month) {
            return new Months(month, Set.of(month), Map.of(month, 1), new Month[] {month}, List.of(month));
        }
    }

    record MonthsByFormat(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Month number,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER_INT) Month integer,
            @JsonFormat(shape = JsonFormat.Shape.STRING) Month text,
            @JsonFormat(shape = JsonFormat.Shape.NATURAL) Month natural,
            @JsonFormat(shape = JsonFormat.Shape.ARRAY) Month alone,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) List<Month> list,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) EnumSet<Month> set,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Month[] array,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Map<Month, Month> map) {
        static MonthsByFormat of(Month month) {
            return new MonthsByFormat(
                    month,
                    month,
                    month,
                    month,
                    month,
                    List.of(month),
                    EnumSet.of(month),
                    new Month[] {month},
                    Map.of(month, month));
        }
    }

    record TimesByNumber(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) DayOfWeek day,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) LocalTime time,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) LocalDateTime dateTime,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Year year,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) YearMonth yearMonth,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) MonthDay monthDay) {}

    record CodeKeys(Code value, Map<Code, Integer> map, EnumMap<Code, Code> enumMap, EnumSet<Code> set) {}

    record CodedKeys(Coded value, Map<Coded, Integer> map) {}

    record NumberedKeys(Numbered value, Map<Numbered, Integer> map) {}

    record BodyKeys(WithBody value, EnumMap<WithBody, WithBody> map, Map<Thread.State, Integer> states) {}

    record Nested(Map<String, Map<Long, List<Code>>> map) {}

    record ByIndex(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Code code) {}

    record Locales(Locale value, Map<Locale, Integer> map) {}

    record Places(InetSocketAddress address, URI uri, File file, Charset charset, UUID id, byte[] bytes) {}

    record Dates(
            Date date,
            Calendar calendar,
            GregorianCalendar gregorian,
            Timestamp timestamp,
            Map<Date, String> map,

            @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", timezone = "Europe/Berlin")
            Date inBerlin,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss.SSS") Calendar calendarWithPattern,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Date number) {}

    record Times(
            Instant instant,
            LocalDate date,
            LocalDateTime dateTime,
            LocalTime time,
            OffsetDateTime offset,
            OffsetTime offsetTime,
            ZonedDateTime zoned,
            Year year,
            YearMonth yearMonth,
            MonthDay monthDay,
            DayOfWeek day,
            ZoneId zone,
            ZoneOffset zoneOffset,
            Period period,
            Duration duration) {}

    record TimesAsNumbers(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Instant instant,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER_INT) LocalDate date,
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Duration duration,
            @JsonFormat(pattern = "MILLIS") Duration millis) {}

    record TimesWithPatterns(
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm") LocalDateTime dateTime,
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ssXXX") OffsetDateTime offset,

            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "Asia/Tokyo")
            Instant instant,

            @JsonFormat(pattern = "dd.MM.yyyy") LocalDate date) {}

    record TimesAsKeys(
            Map<Duration, Integer> durations,
            Map<Year, Integer> years,
            Map<Instant, Integer> instants,
            Map<ZonedDateTime, Integer> zoned,
            Map<OffsetDateTime, Integer> offsets,
            Map<ZoneId, Integer> zones,
            Map<DayOfWeek, Integer> days,
            Map<YearMonth, Integer> months) {}

    record ZoneInPattern(
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss VV") ZonedDateTime at) {}

    record ZoneOfAnnotation(
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss Z", timezone = "Europe/Paris")
            ZonedDateTime at) {}

    record LocalInZone(
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "Europe/Paris")
            ZonedDateTime at) {}

    record OnlyZone(@JsonFormat(timezone = "UTC") ZonedDateTime at) {}

    record AsText(
            @JsonFormat(shape = JsonFormat.Shape.STRING) ZonedDateTime at) {}

    record ZonedLists(
            @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss VV") List<ZonedDateTime> patterned,
            List<ZonedDateTime> plain,
            Map<String, ZonedDateTime> map) {}

    record OtherKeys(
            Map<Character, Integer> chars,
            Map<Double, Integer> doubles,
            Map<URI, Integer> uris,
            Map<Class<?>, Integer> classes,
            Map<Currency, Integer> currencies) {}

    record Numbers(BigDecimal decimal, BigInteger integer, Double number, Float small, Number any) {}

    record Texts(
            @JsonFormat(shape = JsonFormat.Shape.STRING) int number,
            @JsonFormat(shape = JsonFormat.Shape.STRING) boolean flag,
            char character,
            char[] chars) {}

    record Arrays(float[] floats, double[] doubles, short[] shorts, boolean[] booleans, long[] longs, int[]... more) {}

    record Containers(
            Deque<Integer> deque,
            SortedMap<String, Integer> sorted,
            NavigableSet<Integer> set,
            AtomicReference<String> reference,
            AtomicBoolean flag) {}

    record Nothing(@Nullable Void nothing, @Nullable Object object) {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record AsArray(int a, String b) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record WithoutNulls(@Nullable String a, String b) {}

    record Value(@JsonValue String value) {}

    record Inner(
            @JsonProperty("x") int a, @JsonProperty("y") int b) {}

    record Unwrapped(@JsonUnwrapped(prefix = "p_") Inner inner, int other) {}

    record Flags(
            Integer i,
            Boolean b,
            boolean isActive,
            @Nullable Boolean isNull) {}

    static final class Made {
        private final String name;

        private Made(String name) {
            this.name = name;
        }

        @JsonCreator
        static Made of(@JsonProperty("name") String name) {
            return new Made(name);
        }

        public String getName() {
            return name;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Shape permits Circle, Polygon {}

    record Circle(int radius) implements Shape {}

    sealed interface Polygon extends Shape permits Square {}

    record Square(int side) implements Polygon {}

    record Drawing(Shape shape, List<Shape> more) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Card.class, name = "card"))
    sealed interface Payment permits Card {}

    record Card(String number) implements Payment {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    sealed interface Deduced permits Left, Right {}

    record Left(int left) implements Deduced {}

    record Right(String right) implements Deduced {}

    static Stream<Arguments> values() {
        Stream<Arguments> months = Stream.of(Month.values())
                .flatMap(month -> Stream.of(
                        of(Months.class, Months.of(month)), of(MonthsByFormat.class, MonthsByFormat.of(month))));
        Stream<Arguments> locales = Stream.of(
                        "und",
                        "de",
                        "de-AT",
                        "zh-Hant-TW",
                        "zh-Hant",
                        "sr-Latn-RS-x-private",
                        "de-DE-1996-x-foo",
                        "en-US-u-ca-buddhist",
                        "he",
                        "es-419")
                .map(Locale::forLanguageTag)
                .flatMap(locale -> Stream.of(of(Locale.class, locale), of(new Locales(locale, Map.of(locale, 1)))));
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone("UTC"));
        calendar.setTimeInMillis(MILLIS);
        Stream<Arguments> others = Stream.of(
                of(Month.class, Month.MARCH),
                of(new TimesByNumber(
                        DayOfWeek.MONDAY,
                        LocalTime.of(1, 2, 3, 4_000_000),
                        LocalDateTime.of(2026, 2, 3, 4, 5, 6, 7_000),
                        Year.of(2026),
                        YearMonth.of(2026, 2),
                        MonthDay.of(2, 29))),
                of(Code.class, Code.FIRST),
                of(Code.class, Code.SECOND),
                of(new CodeKeys(
                        Code.FIRST,
                        Map.of(Code.FIRST, 1, Code.SECOND, 2),
                        new EnumMap<>(Map.of(Code.FIRST, Code.SECOND)),
                        EnumSet.allOf(Code.class))),
                of(new CodedKeys(Coded.FIRST, Map.of(Coded.SECOND, 1))),
                of(new NumberedKeys(Numbered.FIRST, Map.of(Numbered.SECOND, 1))),
                of(new BodyKeys(
                        WithBody.FIRST,
                        new EnumMap<>(Map.of(WithBody.SECOND, WithBody.FIRST)),
                        Map.of(Thread.State.NEW, 1))),
                of(new Nested(Map.of("a", Map.of(1L, List.of(Code.FIRST, Code.SECOND))))),
                of(new ByIndex(Code.SECOND)),
                of(new Places(
                        InetSocketAddress.createUnresolved("h", 5),
                        URI.create("a:b"),
                        new File("/a"),
                        UTF_8,
                        new UUID(1, 2),
                        new byte[] {1})),
                of(new Dates(
                        new Date(MILLIS),
                        calendar,
                        (GregorianCalendar) calendar,
                        new Timestamp(MILLIS),
                        Map.of(new Date(MILLIS), "x"),
                        new Date(MILLIS),
                        calendar,
                        new Date(MILLIS))),
                of(new Times(
                        Instant.ofEpochSecond(5, 6),
                        LocalDate.of(2026, 1, 2),
                        LocalDateTime.of(2026, 1, 1, 1, 1, 0, 100),
                        LocalTime.of(1, 2),
                        PARIS.toOffsetDateTime(),
                        PARIS.toOffsetDateTime().toOffsetTime(),
                        PARIS,
                        Year.of(5),
                        YearMonth.of(2026, 2),
                        MonthDay.of(2, 29),
                        DayOfWeek.SUNDAY,
                        ZoneOffset.UTC,
                        ZoneOffset.ofHours(2),
                        Period.of(1, 14, 3),
                        Duration.ofSeconds(-1, 5))),
                of(new TimesAsNumbers(
                        Instant.ofEpochSecond(5, 6),
                        LocalDate.of(2026, 1, 2),
                        Duration.ofMillis(5500),
                        Duration.ofMillis(5500))),
                of(new TimesWithPatterns(
                        LocalDateTime.of(2026, 1, 2, 3, 4),
                        PARIS.toOffsetDateTime(),
                        PARIS.toInstant(),
                        LocalDate.of(2026, 1, 2))),
                of(new TimesAsKeys(
                        Map.of(Duration.ofSeconds(5), 1),
                        Map.of(Year.of(2026), 1),
                        Map.of(Instant.EPOCH, 1),
                        Map.of(PARIS, 1),
                        Map.of(PARIS.toOffsetDateTime(), 1),
                        Map.of(ZoneId.of("Europe/Paris"), 1),
                        Map.of(DayOfWeek.MONDAY, 1),
                        Map.of(YearMonth.of(2026, 1), 1))),
                of(ZonedDateTime.class, PARIS),
                of(new ZoneInPattern(PARIS)),
                of(new ZoneOfAnnotation(PARIS)),
                of(new LocalInZone(PARIS)),
                of(new OnlyZone(PARIS)),
                of(new AsText(PARIS)),
                of(new ZonedLists(List.of(PARIS), List.of(PARIS), Map.of("a", PARIS))),
                of(new OtherKeys(
                        Map.of('c', 1),
                        Map.of(1.5, 1),
                        Map.of(URI.create("a:b"), 1),
                        Map.of(String.class, 1),
                        Map.of(Currency.getInstance("EUR"), 1))),
                of(new Numbers(new BigDecimal("1E-7"), BigInteger.TEN, 1e-7, 1e20f, 2.5)),
                of(new Numbers(new BigDecimal("1E+400"), BigInteger.ONE, Double.MIN_VALUE, 0.1f, 5)),
                of(new Texts(5, true, 'x', new char[] {'a', 'b'})),
                of(new Arrays(
                        new float[] {1.1f},
                        new double[] {0.1 + 0.2},
                        new short[] {1},
                        new boolean[] {true},
                        new long[] {1},
                        new int[] {1})),
                of(new Containers(
                        new ArrayDeque<>(List.of(1, 2)),
                        new TreeMap<>(Map.of("b", 1)),
                        new TreeSet<>(Set.of(3, 1)),
                        new AtomicReference<>("x"),
                        new AtomicBoolean(true))),
                of(new Nothing(null, null)),
                of(new AsArray(1, "b")),
                of(new WithoutNulls(null, "b")),
                of(new Value("v")),
                of(new Unwrapped(new Inner(1, 2), 3)),
                of(new Flags(1, true, true, null)),
                of(Made.class, Made.of("n")),
                of(Shape.class, new Circle(3)),
                of(new Drawing(new Circle(1), List.of(new Square(2), new Circle(3)))),
                of(Payment.class, new Card("1")),
                of(Deduced.class, new Right("x")));
        return Stream.of(months, locales, others).flatMap(each -> each);
    }

    private static Arguments of(Object value) {
        return of(value.getClass(), value);
    }

    private static Arguments of(Class<?> type, Object value) {
        return Arguments.of(type, value);
    }

    @ParameterizedTest
    @MethodSource("values")
    <V> void valueIsReadByBothCodecsAsItWas(Class<V> type, V value) throws Exception {
        for (ValueCodec<V> writer : List.<ValueCodec<V>>of(JsonCodec.of(type), Jackson2Codec.of(type))) {
            byte[] bytes = writer.encode(value);
            for (ValueCodec<V> reader : List.<ValueCodec<V>>of(JsonCodec.of(type), Jackson2Codec.of(type))) {
                assertThat(reader.decode(ByteBuffer.wrap(bytes)))
                        .as(
                                "%s, written by %s, read by %s",
                                new String(bytes, UTF_8),
                                writer.getClass().getSimpleName(),
                                reader.getClass().getSimpleName())
                        .usingRecursiveComparison()
                        .isEqualTo(value);
            }
        }
    }

    record Patterned(
            @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ssXXX")
            ZonedDateTime at) {}

    record Numeric(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) ZonedDateTime at) {}

    /** A pattern that leaves out the zone loses it; but the time is read. */
    @Test
    void patternWithoutAZoneKeepsTheInstant() throws Exception {
        for (ValueCodec<Patterned> writer : List.of(JsonCodec.of(Patterned.class), Jackson2Codec.of(Patterned.class))) {
            byte[] bytes = writer.encode(new Patterned(PARIS));
            assertThat(new String(bytes, UTF_8)).isEqualTo("{\"at\":\"2026-01-02T03:04:05+01:00\"}");
            for (ValueCodec<Patterned> reader :
                    List.of(JsonCodec.of(Patterned.class), Jackson2Codec.of(Patterned.class))) {
                assertThat(reader.decode(ByteBuffer.wrap(bytes)).at().toInstant())
                        .isEqualTo(PARIS.toInstant());
            }
        }
        for (ValueCodec<Numeric> codec : List.of(JsonCodec.of(Numeric.class), Jackson2Codec.of(Numeric.class))) {
            assertThat(codec.decode(ByteBuffer.wrap(codec.encode(new Numeric(PARIS))))
                            .at()
                            .toInstant())
                    .isEqualTo(PARIS.toInstant());
        }
    }
}
