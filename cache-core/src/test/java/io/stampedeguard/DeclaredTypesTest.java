package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.stampedeguard.codec.Jackson2Codec;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;

/** Nobody gets an object that was made of another class's data, or of too little data. */
final class DeclaredTypesTest {
    private static final CachePolicy POLICY = CachePolicy.builder().jitter(0).build();

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final RecordingListener listener = new RecordingListener();
    private final AtomicInteger loads = new AtomicInteger();

    record User(long id, String email) {}

    record Order(long id, int total, String status) {}

    /** The class of users in three versions of an application. */
    record Added(long id, String email, String name) {}

    record Renamed(long id, String mail) {}

    private <V> StampedeGuardedCache<Long, V> cache(ValueCodec<V> codec) {
        return StampedeGuardedCache.<Long, V>builder("items")
                .store(store)
                .codec(codec)
                .policy(POLICY)
                .listener(listener)
                .timeSource(time)
                .build();
    }

    private <V> @Nullable V get(StampedeGuardedCache<Long, V> cache, @Nullable V loaded) {
        return cache.get(42L, id -> {
            loads.incrementAndGet();
            return loaded;
        });
    }

    private enum Form {
        GET,
        GET_ALL,
        GET_ASYNC,
        GET_ALL_ASYNC;

        <V> V get(StampedeGuardedCache<Long, V> cache, V loaded) {
            return switch (this) {
                case GET -> cache.get(42L, id -> loaded);
                case GET_ALL ->
                    cache.getAll(List.of(42L), ids -> Map.of(42L, loaded)).get(42L);
                case GET_ASYNC ->
                    cache.getAsync(42L, id -> CompletableFuture.completedFuture(loaded))
                            .join();
                case GET_ALL_ASYNC ->
                    cache.getAllAsync(List.of(42L), ids -> Map.of(42L, loaded))
                            .join()
                            .get(42L);
            };
        }
    }

    @ForEach
    void twoClassesUnderOneNameNeverMeet(Form form) {
        User user = new User(42, "a@example.org");
        Order order = new Order(42, 100, "PAID");
        try (StampedeGuardedCache<Long, User> users = cache(JsonCodec.of(User.class));
                StampedeGuardedCache<Long, Order> orders = cache(JsonCodec.of(Order.class));
                StampedeGuardedCache<Long, Order> orders2 = cache(Jackson2Codec.of(Order.class))) {
            for (int turn = 0; turn < 3; turn++) {
                assertThat(form.get(users, user)).isEqualTo(user);
                assertThat(form.get(orders, order)).isEqualTo(order);
                assertThat(form.get(orders2, order)).isEqualTo(order);
            }
            assertThat(users.faults(FaultSource.CODEC) + orders.faults(FaultSource.CODEC))
                    .isZero();
            assertThat(listener.count(EventType.LOAD_STORED))
                    .as("the first one is left alone")
                    .isEqualTo(1);
        }
    }

    @Test
    void listsOfTwoClassesUnderOneNameNeverMeet() {
        try (StampedeGuardedCache<Long, List<User>> users = cache(JsonCodec.of(new TypeReference<List<User>>() {}));
                StampedeGuardedCache<Long, List<Order>> orders =
                        cache(JsonCodec.of(new TypeReference<List<Order>>() {}))) {
            get(users, List.of());

            assertThat(get(orders, List.of(new Order(42, 100, "PAID")))).hasSize(1);
        }
    }

    @Test
    void absenceOfOneClassSaysNothingAboutAnother() {
        Order order = new Order(42, 100, "PAID");
        try (StampedeGuardedCache<Long, User> users = cache(JsonCodec.of(User.class));
                StampedeGuardedCache<Long, User> nextVersion =
                        cache(JsonCodec.of(User.class).version(2));
                StampedeGuardedCache<Long, Order> orders = cache(JsonCodec.of(Order.class))) {
            assertThat(get(users, null)).isNull();
            assertThat(get(orders, order)).isEqualTo(order);
            assertThat(get(nextVersion, null)).isNull();

            assertThat(loads).as("absence has no version").hasValue(2);
        }
    }

    @Test
    void entryWithoutAnAddedPropertyIsReplacedForBothVersions() {
        Added added = new Added(42, "a@example.org", "Ann");
        try (StampedeGuardedCache<Long, User> old = cache(JsonCodec.of(User.class));
                StampedeGuardedCache<Long, Added> young =
                        cache(JsonCodec.of(Added.class).named(User.class.getName()))) {
            get(old, new User(42, "a@example.org"));
            for (int turn = 0; turn < 100; turn++) {
                assertThat(get(young, added)).isEqualTo(added);
                assertThat(get(old, new User(42, "loaded again"))).isEqualTo(new User(42, "a@example.org"));
                time.advance(Duration.ofMillis(100));
            }

            assertThat(loads).hasValue(2);
            assertThat(young.faults(FaultSource.CODEC) + old.faults(FaultSource.CODEC))
                    .isZero();
        }
    }

    @Test
    void versionsWithARenamedPropertyDoNotFight() {
        User user = new User(42, "a@example.org");
        Renamed renamed = new Renamed(42, "a@example.org");
        try (StampedeGuardedCache<Long, User> old = cache(JsonCodec.of(User.class));
                StampedeGuardedCache<Long, Renamed> young =
                        cache(Jackson2Codec.of(Renamed.class).named(User.class.getName()))) {
            assertDoNotFight(old, user, young, renamed);

            assertThat(young.faults(FaultSource.CODEC) + old.faults(FaultSource.CODEC))
                    .isZero();
        }
    }

    record Name(String first, String last) {}

    record Contact(@JsonUnwrapped Name name, String mail) {
        public String getLabel() {
            return name.first() + "!";
        }
    }

    record AddedContact(@JsonUnwrapped Name name, String mail, String tel) {
        AddedContact {
            Objects.requireNonNull(tel);
        }

        public String getLabel() {
            return name.first() + "!";
        }
    }

    record RenamedContact(@JsonUnwrapped Name name, String email) {}

    /** Beside names that are not those of properties: the names of an unwrapped object, and one that is only written. */
    @Test
    void entryWithoutAnAddedPropertyIsReplacedWhateverNamesItHasBesides() {
        Contact contact = new Contact(new Name("Ann", "Lee"), "a@example.org");
        AddedContact added = new AddedContact(contact.name(), "a@example.org", "1");
        for (ValueCodec<AddedContact> codec : List.of(
                JsonCodec.of(AddedContact.class).named("contact"),
                Jackson2Codec.of(AddedContact.class).named("contact"))) {
            try (StampedeGuardedCache<Long, Contact> old =
                            cache(JsonCodec.of(Contact.class).named("contact"));
                    StampedeGuardedCache<Long, AddedContact> young = cache(codec)) {
                loads.set(0);
                old.invalidate(42L);
                for (int turn = 0; turn < 100; turn++) {
                    assertThat(get(old, contact)).isEqualTo(contact);
                    assertThat(get(young, added)).isEqualTo(added);
                    time.advance(Duration.ofMillis(100));
                }

                assertThat(loads).hasValue(2);
                assertThat(young.faults(FaultSource.CODEC)).isZero();
            }
        }
    }

    @Test
    void versionsWithARenamedPropertyBesideAnUnwrappedOneDoNotFight() {
        Contact contact = new Contact(new Name("Ann", "Lee"), "a@example.org");
        RenamedContact renamed = new RenamedContact(contact.name(), "a@example.org");
        try (StampedeGuardedCache<Long, Contact> old =
                        cache(Jackson2Codec.of(Contact.class).named("contact"));
                StampedeGuardedCache<Long, RenamedContact> young =
                        cache(JsonCodec.of(RenamedContact.class).named("contact"))) {
            assertDoNotFight(old, contact, young, renamed);
        }
    }

    enum Before {
        OPEN
    }

    enum After {
        OPEN,
        PAID
    }

    record OldInvoice(long id, Before state) {}

    record NewInvoice(long id, After state) {}

    @Test
    void versionsWithAnAddedConstantDoNotFight() {
        OldInvoice open = new OldInvoice(42, Before.OPEN);
        NewInvoice paid = new NewInvoice(42, After.PAID);
        try (StampedeGuardedCache<Long, OldInvoice> old =
                        cache(JsonCodec.of(OldInvoice.class).named("com.acme.Invoice"));
                StampedeGuardedCache<Long, NewInvoice> young =
                        cache(Jackson2Codec.of(NewInvoice.class).named("com.acme.Invoice"))) {
            assertDoNotFight(young, paid, old, open);

            assertThat(young.faults(FaultSource.CODEC) + old.faults(FaultSource.CODEC))
                    .isZero();
        }
    }

    record Exact(long id, double total) {}

    record Rounded(long id, int total) {}

    @Test
    void versionsWithAPropertyOfAnotherTypeDoNotFight() {
        Exact exact = new Exact(42, 12.75);
        Rounded rounded = new Rounded(42, 13);
        try (StampedeGuardedCache<Long, Exact> old =
                        cache(JsonCodec.of(Exact.class).named("com.acme.Sum"));
                StampedeGuardedCache<Long, Rounded> young =
                        cache(Jackson2Codec.of(Rounded.class).named("com.acme.Sum"))) {
            assertDoNotFight(old, exact, young, rounded);

            assertThat(young.faults(FaultSource.CODEC)).isPositive();
            assertThat(old.faults(FaultSource.CODEC)).isZero();
        }
    }

    /** Asserts that the second cache, which cannot read what the first one stores, loads once in two seconds and stores nothing. */
    private <V, W> void assertDoNotFight(
            StampedeGuardedCache<Long, V> first, V one, StampedeGuardedCache<Long, W> second, W other) {
        for (int turn = 0; turn < 100; turn++) {
            assertThat(get(first, one)).isEqualTo(one);
            assertThat(get(second, other)).isEqualTo(other);
            time.advance(Duration.ofMillis(100));
        }
        assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1);
        assertThat(loads.get()).as("in ten seconds").isLessThanOrEqualTo(1 + 5 + 1);
    }

    @Test
    void renamedClassKeepsItsEntriesUnderItsFormerName() {
        try (StampedeGuardedCache<Long, User> before =
                        cache(JsonCodec.of(User.class).named("com.acme.Customer"));
                StampedeGuardedCache<Long, User> after =
                        cache(Jackson2Codec.of(User.class).named("com.acme.Customer"))) {
            get(before, new User(42, "a@example.org"));

            assertThat(get(after, null)).isEqualTo(new User(42, "a@example.org"));
            assertThat(loads).hasValue(1);
        }
    }
}
