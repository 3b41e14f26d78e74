package io.stampedeguard;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.stampedeguard.codec.BytesCodec;
import io.stampedeguard.codec.Jackson2Codec;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.OtherVersionException;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.TextCodec;
import io.stampedeguard.testkit.VirtualTime;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The first load of each class is read back: what becomes another value, or none, is reported at once, and once. */
final class ReadBackTest {
    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final List<String> advice = new ArrayList<>();

    private final CacheListener listener = new CacheListener() {
        @Override
        public void onEvent(String cache, CacheEvent event) {
            if (event instanceof CacheEvent.Advice given && given.type() == EventType.ADVICE_VALUE_CHANGED_BY_CODEC) {
                advice.add(given.words());
            }
        }
    };

    /** Equal by its id only. */
    static class Person {
        public long id;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Person person && person.id == id;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(id);
        }
    }

    static final class Employee extends Person {
        public String office = "A1";
    }

    record Badge(Person owner) {}

    /** Without an {@code equals}. */
    static final class Plain {
        public @Nullable Object content;
        public Set<String> tags = Set.of("a", "b", "c", "d");
        public @Nullable List<Plain> parts;

        static Plain of(Object content) {
            Plain plain = new Plain();
            plain.content = content;
            plain.parts = List.of(new Plain(), new Plain());
            return plain;
        }
    }

    record Sealed(byte[] seal, String[] names) {}

    record Twice(Employee first, Person second) {}

    record Amounts(List<BigDecimal> first, Object second) {}

    record Reference(AtomicReference<Object> to) {}

    record Entry(Map.Entry<String, Integer> entry) {}

    /** Remembers its hash, and what it has derived. */
    static final class Memo {
        public String name = "a";
        private int hash;
        private @Nullable String upper;

        static Memo used() {
            Memo memo = new Memo();
            assertThat(memo.hashCode()).isNotZero();
            assertThat(memo.upper()).isEqualTo("A");
            return memo;
        }

        private String upper() {
            String known = upper;
            if (known == null) {
                known = name.toUpperCase(Locale.ROOT);
                upper = known;
            }
            return known;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Memo memo && memo.name.equals(name);
        }

        @Override
        public int hashCode() {
            if (hash == 0) {
                hash = name.hashCode();
            }
            return hash;
        }
    }

    record Memos(List<Memo> all, Memo one) {}

    private record Case(
            ValueCodec<?> codec, Object value, @Nullable String words) {}

    private static final String ENCODING = "its encoding differs";
    private static final String CLASS = "its class differs";
    private static final String EQUALITY = "it is not equal";

    private static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        add(cases, Map.class, Map.of("price", new BigDecimal("12.3000000000000000001")), ENCODING);
        add(cases, Map.class, Map.of("price", new BigDecimal("1.5")), EQUALITY);
        add(cases, Map.class, Map.of("id", 5L), EQUALITY);
        add(cases, List.class, List.of(LocalDate.EPOCH), EQUALITY);
        add(cases, Person.class, new Employee(), CLASS);
        add(cases, Badge.class, new Badge(new Employee()), ENCODING);
        add(cases, Plain.class, Plain.of(new BigDecimal("12.3000000000000000001")), ENCODING);
        add(cases, List.class, List.of(new Plain()), EQUALITY);
        add(cases, Calendar.class, new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo")), EQUALITY);
        Employee twice = new Employee();
        add(cases, Twice.class, new Twice(twice, twice), ENCODING);
        List<BigDecimal> amounts = List.of(new BigDecimal("1.50"));
        add(cases, Amounts.class, new Amounts(amounts, amounts), "");
        add(cases, Date.class, new Timestamp(5), CLASS);
        add(cases, Date.class, new java.sql.Date(5), CLASS);
        add(cases, Object[].class, new Object[] {5L}, EQUALITY);
        add(cases, Twice.class, new Twice(twice, new Person()), null);
        add(cases, Reference.class, new Reference(new AtomicReference<>("a")), null);
        add(cases, Entry.class, new Entry(Map.entry("a", 1)), null);
        add(cases, Memo.class, Memo.used(), null);
        Memo memo = Memo.used();
        add(cases, Memos.class, new Memos(List.of(memo, Memo.used()), memo), null);
        add(cases, Map.class, Map.of("id", 5), null);
        add(cases, List.class, List.of("a", "b"), null);
        add(cases, Set.class, new HashSet<>(List.of("a", "b", "zebra")), null);
        add(cases, Set.class, new LinkedHashSet<>(List.of("a")), null);
        add(cases, Person.class, new Person(), null);
        add(cases, Plain.class, Plain.of(5), null);
        add(cases, Sealed.class, new Sealed(new byte[] {1}, new String[] {"a"}), null);
        add(cases, ZonedDateTime.class, ZonedDateTime.of(2024, 1, 1, 0, 30, 0, 0, ZoneId.of("Europe/Paris")), null);
        cases.add(new Case(BytesCodec.of(), new byte[] {1, 2}, null));
        cases.add(new Case(new Salted(), Thread.State.NEW, null));
        cases.add(new Case(new Cycles(), new Node(), null));
        return cases;
    }

    private static void add(List<Case> cases, Class<?> type, Object value, @Nullable String words) {
        cases.add(new Case(JsonCodec.of(type), value, words));
        cases.add(new Case(Jackson2Codec.of(type), value, words));
        cases.add(new Case(ValueCodec.compressed(JsonCodec.of(type), 0), value, words));
    }

    /** Encodes each time as other bytes. */
    private static final class Salted implements ValueCodec<Thread.State> {
        @Override
        public byte[] encode(Thread.State value) {
            return ByteBuffer.allocate(1 + Long.BYTES)
                    .put((byte) value.ordinal())
                    .putLong(ThreadLocalRandom.current().nextLong()) // never twice the same
                    .array();
        }

        @Override
        public Thread.State decode(ByteBuffer payload) {
            return Thread.State.values()[payload.get()];
        }
    }

    static final class Node {
        Object next = this;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Node node && node.next.equals(next); // without end
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    private static final class Cycles implements ValueCodec<Node> {
        @Override
        public byte[] encode(Node value) {
            return new byte[0];
        }

        @Override
        public Node decode(ByteBuffer payload) {
            return new Node();
        }
    }

    @SuppressWarnings("unchecked")
    private StampedeGuardedCache<Integer, Object> cache(ValueCodec<?> codec) {
        return StampedeGuardedCache.<Integer, Object>builder("trip")
                .store(store)
                .codec((ValueCodec<Object>) codec)
                .listener(listener)
                .timeSource(time)
                .build();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void valueThatComesBackAsAnotherOneIsReportedOnce(Case of) {
        try (StampedeGuardedCache<Integer, Object> cache = cache(of.codec())) {
            for (int key = 0; key < 3; key++) {
                assertThat(cache.get(key, id -> of.value())).isNotNull();
            }

            if (of.words() == null) {
                assertThat(advice).isEmpty();
            } else {
                assertThat(advice)
                        .singleElement()
                        .asString()
                        .contains(
                                of.words(),
                                "key java.lang.Integer",
                                "loaded " + of.value().getClass().getTypeName());
            }
            assertThat(cache.faults(FaultSource.CODEC)).isZero();
        }
    }

    @Test
    void emptyCollectionSaysNothingAboutLaterOnes() {
        try (StampedeGuardedCache<Integer, Object> cache = cache(JsonCodec.of(List.class))) {
            cache.get(1, id -> new ArrayList<>());
            assertThat(advice).isEmpty();

            cache.get(2, id -> new ArrayList<>(List.of(5L)));
            assertThat(advice).hasSize(1);
        }
    }

    record Items(List<Object> items) {}

    record Content(@Nullable Object content) {}

    private record Later(Class<?> type, Object first, Object second) {}

    private static List<Later> later() {
        return List.of(
                new Later(Object[].class, new Object[0], new Object[] {5L}),
                new Later(Items.class, new Items(List.of()), new Items(List.of(5L))),
                new Later(Content.class, new Content(Map.of()), new Content(5L)),
                new Later(Content.class, new Content(null), new Content(5L)),
                new Later(List.class, new ArrayList<>(List.of(Map.of())), new ArrayList<>(List.of(5L))));
    }

    @ParameterizedTest
    @MethodSource("later")
    void valueWithEmptyPartsSaysNothingAboutLaterOnes(Later of) {
        for (ValueCodec<?> codec : List.of(JsonCodec.of(of.type()), Jackson2Codec.of(of.type()))) {
            advice.clear();
            try (StampedeGuardedCache<Integer, Object> cache = cache(codec)) {
                cache.get(1, id -> of.first());
                assertThat(advice).isEmpty();

                cache.get(2, id -> of.second());
                cache.get(3, id -> of.second());
                assertThat(advice).hasSize(1);
            }
            List.of(1, 2, 3).forEach(key -> on(store).invalidate("trip:" + key));
        }
    }

    /** Counts what it decodes. */
    private static final class Counting implements ValueCodec<Object> {
        private final ValueCodec<Items> codec = JsonCodec.of(Items.class);
        int decoded;

        @Override
        public byte[] encode(Object value) throws Exception {
            return codec.encode((Items) value);
        }

        @Override
        public Object decode(ByteBuffer payload) throws Exception {
            decoded++;
            return codec.decode(payload);
        }
    }

    @Test
    void onlyTheFirstValuesOfAClassAreReadBack() {
        Counting counting = new Counting();
        try (StampedeGuardedCache<Integer, Object> cache = cache(counting)) {
            for (int key = 0; key < 100; key++) {
                cache.get(key, id -> new Items(List.of()));
            }
            assertThat(counting.decoded).isEqualTo(16);
        }
    }

    private enum Form {
        GET,
        GET_ALL,
        GET_ASYNC,
        GET_ALL_ASYNC,
        PUT;

        void load(StampedeGuardedCache<Integer, Object> cache, Object value) {
            switch (this) {
                case GET -> cache.get(1, id -> value);
                case GET_ALL -> cache.getAll(List.of(1), ids -> Map.of(1, value));
                case GET_ASYNC ->
                    cache.getAsync(1, id -> CompletableFuture.completedFuture(value))
                            .join();
                case GET_ALL_ASYNC ->
                    cache.getAllAsync(List.of(1), ids -> Map.of(1, value)).join();
                case PUT -> cache.put(1, value);
            }
        }
    }

    @ForEach
    void eachFormOfLoadIsReadBack(Form form) {
        try (StampedeGuardedCache<Integer, Object> cache = cache(JsonCodec.of(Map.class))) {
            form.load(cache, Map.of("id", 5L));

            assertThat(advice).hasSize(1);
        }
    }

    @Test
    void reloadWithANearCacheIsReadBack() {
        try (StampedeGuardedCache<Integer, Object> cache = StampedeGuardedCache.<Integer, Object>builder("trip")
                .store(store)
                .codec(JsonCodec.of(Object.class))
                .nearCache(NearCacheOptions.builder().maximumSize(10).build())
                .listener(listener)
                .timeSource(time)
                .build()) {
            cache.get(1, id -> "text");
            cache.invalidate(1);
            cache.get(1, id -> 5L);

            assertThat(advice).hasSize(1);
        }
    }

    /** Has no constructor that Jackson could use. */
    static final class Unreadable {
        public final int size;

        Unreadable(int size, int other) {
            this.size = size + other;
        }
    }

    record Dimensions(int width, int height) {}

    static final class Parcel {
        @JsonUnwrapped
        public @Nullable Dimensions dimensions;

        public int weight = 1;
    }

    @ForEach
    void valueWithoutItsUnwrappedRecordIsLoadedOnce(Form form) {
        for (ValueCodec<?> codec : List.of(JsonCodec.of(Parcel.class), Jackson2Codec.of(Parcel.class))) {
            try (StampedeGuardedCache<Integer, Object> cache = cache(codec)) {
                form.load(cache, new Parcel());

                assertThat(cache.getIfPresent(1)).isInstanceOf(Parcel.class);
                assertThat(cache.faults(FaultSource.CODEC)).isZero();
            }
            on(store).invalidate("trip:1");
        }
    }

    @ForEach
    void valueThatCannotBeReadBackIsAFaultAtOnce(Form form) {
        for (ValueCodec<?> codec : List.of(JsonCodec.of(Unreadable.class), Jackson2Codec.of(Unreadable.class))) {
            try (StampedeGuardedCache<Integer, Object> cache = cache(codec)) {
                form.load(cache, new Unreadable(1, 2));
                assertThat(cache.faults(FaultSource.CODEC))
                        .as("before any read")
                        .isEqualTo(1);

                cache.get(2, id -> new Unreadable(3, 4));
                assertThat(cache.faults(FaultSource.CODEC))
                        .as("once for the class")
                        .isEqualTo(1);
                assertThat(advice).isEmpty();
            }
            on(store).invalidate("trip:1");
            on(store).invalidate("trip:2");
        }
    }

    @Test
    void valueThatCannotBeReadBackIsNotLoadedByEachCall() {
        List<Integer> loads = new ArrayList<>();
        try (StampedeGuardedCache<Integer, Object> cache = cache(JsonCodec.of(Unreadable.class))) {
            for (int call = 0; call < 100; call++) {
                assertThat(Objects.requireNonNull(cache.get(1, id -> {
                            loads.add(id);
                            return new Unreadable(1, 2);
                        })))
                        .isInstanceOf(Unreadable.class);
                time.advance(Duration.ofMillis(10));
            }

            assertThat(loads).as("in one second").hasSize(2);
        }
    }

    @Test
    void unreadableValueIsLoggedOnceWithWhatToDo() {
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<Integer, Object> cache = cache(JsonCodec.of(Unreadable.class))) {
            cache.get(1, id -> new Unreadable(1, 2));
            cache.get(1, id -> new Unreadable(1, 2)); // reads it
            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(2);
            assertThat(log.warningsOf("trip"))
                    .singleElement()
                    .asString()
                    .contains("Unreadable was encoded and cannot be decoded: it is returned and stored")
                    .endsWith("; declare a type that the codec can read, or configure the codec");
        }
    }

    /** Takes each text of more than four characters for one of an older version. */
    private static final class Forgetful extends TextCodec {
        Forgetful() {
            super("forgetful", 1);
        }

        @Override
        public String decode(ByteBuffer payload) {
            if (payload.remaining() > 4) {
                throw new OtherVersionException("too long", true);
            }
            return super.decode(payload);
        }
    }

    @ForEach
    void valueTakenForAnOlderVersionIsNotReplacedAtEachRead(Form form) {
        try (StampedeGuardedCache<Integer, Object> cache = cache(new Forgetful())) {
            cache.get(5, id -> "text"); // the first value of the class
            int[] loads = {0};
            for (int call = 0; call < 100; call++) {
                if (call == 0) {
                    form.load(cache, "long text");
                }
                assertThat(cache.get(1, id -> {
                            loads[0]++;
                            return "long text";
                        }))
                        .isEqualTo("long text");
                time.advance(Duration.ofMillis(10));
            }

            assertThat(loads[0]).as("in one second").isLessThanOrEqualTo(2);
            assertThat(cache.faults(FaultSource.CODEC)).as("told once").isEqualTo(1);
        }
    }
}
