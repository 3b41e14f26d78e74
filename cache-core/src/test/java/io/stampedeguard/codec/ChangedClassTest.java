package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.JsonView;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import io.stampedeguard.testkit.ForEach;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Whatever a class has besides, an entry that merely lacks a property is older, and is replaced; one that also has a name that the
 * class does not know is left alone, so that two versions never replace each other's entries in turns.
 */
@SuppressWarnings("unused") // by Jackson
final class ChangedClassTest {
    /** What becomes of an entry. */
    private enum Entry {
        READ,
        OLDER,
        OTHER,
        FAULT
    }

    record Mail(String mail) {}

    record Email(String email) {}

    record MailAndTel(String mail, String tel) {}

    record Strict(String mail, String tel) {
        Strict {
            Objects.requireNonNull(tel);
        }
    }

    record Name(String first, String last) {}

    static final class Unwrapping {
        record Old(@JsonUnwrapped Name name, String mail) {}

        record Added(@JsonUnwrapped Name name, String mail, String tel) {}

        record AddedStrict(@JsonUnwrapped Name name, String mail, String tel) {
            AddedStrict {
                Objects.requireNonNull(tel);
            }
        }

        record Renamed(@JsonUnwrapped Name name, String email) {}

        record StrictName(String first, String last, String title) {
            StrictName {
                Objects.requireNonNull(title);
            }
        }

        record AddedWithin(@JsonUnwrapped StrictName name, String mail) {}

        static class Bean {
            @JsonUnwrapped
            public Name name = new Name("a", "b");

            public String mail = "m";
        }

        static final class AddedBean extends Bean {
            public String tel = "t";
        }

        static final class RenamedBean {
            @JsonUnwrapped
            public Name name = new Name("a", "b");

            public String email = "m";
        }
    }

    static class Any {
        private final Map<String, Object> others = new LinkedHashMap<>();

        @JsonAnyGetter
        public Map<String, Object> others() {
            return others;
        }

        @JsonAnySetter
        public void put(String name, Object value) {
            others.put(name, value);
        }

        Any with(String name) {
            put(name, 1);
            return this;
        }

        static class Old extends Any {
            public String mail = "m";
        }

        static final class Added extends Old {
            public String tel = "t";
        }

        static final class Renamed extends Any {
            public String email = "m";
        }

        /** Leaves out what it may miss, as no annotation says. */
        static final class Omitting extends Old {
            private int mood;

            @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = JsonContract.Zero.class)
            public int getMood() {
                return mood;
            }

            public void setMood(int mood) {
                this.mood = mood;
            }
        }
    }

    static final class Members {
        record Old(
                @JsonIgnoreProperties(ignoreUnknown = true) Mail inner) {}

        record Renamed(
                @JsonIgnoreProperties(ignoreUnknown = true) Email inner) {}

        record Added(
                @JsonIgnoreProperties(ignoreUnknown = true) MailAndTel inner) {}
    }

    static final class Computed {
        record Old(String mail) {
            public String getFull() {
                return mail + "!";
            }
        }

        record Added(String mail, String tel) {
            public String getFull() {
                return mail + "!";
            }
        }

        /** Cannot be encoded without its new property. */
        record AddedAndUsed(String mail, String tel) {
            public String getFull() {
                return mail + tel.trim();
            }
        }

        static class Bean {
            public String mail = "m";

            public String getFull() {
                return mail;
            }
        }

        static final class AddedBean extends Bean {
            public String tel = "t";
        }
    }

    @com.fasterxml.jackson.databind.annotation.JsonDeserialize(builder = Built.Builder.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = Built.Builder.class)
    static final class Built {
        public final String mail;
        public final String tel;

        Built(String mail, String tel) {
            this.mail = mail;
            this.tel = Objects.requireNonNull(tel);
        }

        @com.fasterxml.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        static final class Builder {
            private String mail = "";
            private String tel;

            public Builder mail(String mail) {
                this.mail = mail;
                return this;
            }

            public Builder tel(String tel) {
                this.tel = tel;
                return this;
            }

            public Built build() {
                return new Built(mail, tel);
            }
        }
    }

    static final class Made {
        public final String mail;
        public final String tel;

        private Made(String mail, String tel) {
            this.mail = mail;
            this.tel = tel;
        }

        @JsonCreator
        static Made of(@JsonProperty("mail") String mail, @JsonProperty("tel") String tel) {
            return new Made(mail, Objects.requireNonNull(tel));
        }
    }

    /** Its setter uses a property that was read before. */
    static final class Setting {
        public String id = "i";
        private String mail = "m";

        @JsonProperty("a")
        public String first;

        public String getMail() {
            return mail;
        }

        public void setMail(String mail) {
            this.mail = first.trim() + mail;
        }
    }

    record IdAndMail(String id, String mail) {}

    record FailingOnNull(
            String mail, @JsonSetter(nulls = Nulls.FAIL) String tel) {}

    static final class Typed {
        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
        @JsonSubTypes(@JsonSubTypes.Type(value = Old.class, name = "a"))
        interface Before {}

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
        @JsonSubTypes(@JsonSubTypes.Type(value = Added.class, name = "a"))
        interface After {}

        record Old(int x) implements Before {}

        record Added(int x, String tel) implements After {
            Added {
                Objects.requireNonNull(tel);
            }
        }

        record HoldingOld(Before it) {}

        record HoldingAdded(After it) {}

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", visible = true)
        @JsonSubTypes(@JsonSubTypes.Type(value = Seen.class, name = "a"))
        interface Visible {}

        record Seen(int x) implements Visible {}

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", visible = true)
        @JsonSubTypes(@JsonSubTypes.Type(value = SeenAdded.class, name = "a"))
        interface VisibleAfter {}

        record SeenAdded(int x, String tel) implements VisibleAfter {}

        static class External {
            @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.EXTERNAL_PROPERTY, property = "kind")
            @JsonSubTypes(@JsonSubTypes.Type(value = Mail.class, name = "mail"))
            public Object data = new Mail("m");
        }

        static final class ExternalAdded extends External {
            public String tel = "t";
        }

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
        @JsonSubTypes(@JsonSubTypes.Type(value = WrappedOld.class, name = "a"))
        interface Wrapped {}

        record WrappedOld(int x) implements Wrapped {}

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
        @JsonSubTypes(@JsonSubTypes.Type(value = WrappedAdded.class, name = "a"))
        interface WrappedAfter {}

        record WrappedAdded(int x, String tel) implements WrappedAfter {
            WrappedAdded {
                Objects.requireNonNull(tel);
            }
        }

        @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
        @JsonSubTypes({@JsonSubTypes.Type(Cat.class), @JsonSubTypes.Type(Dog.class)})
        interface Pet {}

        record Cat(String name, int lives) implements Pet {}

        record Dog(String name, boolean barks) implements Pet {}

        @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
        @JsonSubTypes({@JsonSubTypes.Type(OldCat.class), @JsonSubTypes.Type(Dog2.class)})
        interface PetAfter {}

        record OldCat(String name, int lives, String tel) implements PetAfter {}

        record Dog2(String name, boolean barks) implements PetAfter {}
    }

    record Aliased(@JsonAlias("mail") String email, String tel) {}

    record AliasedStrict(@JsonAlias("mail") String email, String tel) {
        AliasedStrict {
            Objects.requireNonNull(tel);
        }
    }

    static final class Arrays {
        @JsonFormat(shape = JsonFormat.Shape.ARRAY)
        @JsonPropertyOrder({"mail"})
        record Old(String mail) {}

        @JsonFormat(shape = JsonFormat.Shape.ARRAY)
        @JsonPropertyOrder({"mail", "tel"})
        record Added(String mail, String tel) {}

        @JsonFormat(shape = JsonFormat.Shape.ARRAY)
        @JsonPropertyOrder({"mail", "tel"})
        record AddedStrict(String mail, String tel) {
            AddedStrict {
                Objects.requireNonNull(tel);
            }
        }

        @JsonFormat(shape = JsonFormat.Shape.ARRAY)
        static class Bean {
            public String mail = "m";
        }

        @JsonPropertyOrder({"mail", "tel"})
        static final class AddedBean extends Bean {
            public String tel = "t";
        }

        record Holding(
                @JsonFormat(shape = JsonFormat.Shape.ARRAY) Mail inner) {}

        record HoldingAdded(
                @JsonFormat(shape = JsonFormat.Shape.ARRAY) MailAndTel inner) {}
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class, property = "@id")
    static class Identified {
        public String mail = "m";
    }

    static final class IdentifiedAdded extends Identified {
        public String tel = "t";
    }

    static final class Parent {
        @JsonManagedReference
        public List<Child> children = new ArrayList<>(List.of(new Child()));

        static final class Child {
            public String name = "c";

            @JsonBackReference
            public Parent parent;
        }
    }

    static final class ParentAdded {
        @JsonManagedReference
        public List<Child> children = new ArrayList<>();

        static final class Child {
            public String name = "c";
            public String tel = "t";

            @JsonBackReference
            public ParentAdded parent;
        }
    }

    @com.fasterxml.jackson.databind.annotation.JsonNaming(
            com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
    @tools.jackson.databind.annotation.JsonNaming(
            tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Snake(String firstMail) {}

    @com.fasterxml.jackson.databind.annotation.JsonNaming(
            com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
    @tools.jackson.databind.annotation.JsonNaming(
            tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
    record SnakeAdded(String firstMail, String homeTel) {
        SnakeAdded {
            Objects.requireNonNull(homeTel);
        }
    }

    static final class Viewed {
        public String id = "i";

        @JsonView(String.class)
        public String mail = "m";
    }

    /** Is written otherwise than it is read, so that its names are not known. */
    static class Badge {
        public String mail = "m";

        @JsonValue
        public Map<String, Object> json() {
            return Map.of("mail", mail, "display", "!");
        }
    }

    record Badges(Badge badge) {}

    record BadgesAdded(Badge badge, String tel) {}

    static final class StrictBadge {
        private final String mail;
        private final String tel;

        @JsonCreator
        StrictBadge(@JsonProperty("mail") String mail, @JsonProperty("tel") String tel) {
            this.mail = mail;
            this.tel = Objects.requireNonNull(tel);
        }

        @JsonValue
        public Map<String, Object> json() {
            return Map.of("mail", mail, "tel", tel);
        }
    }

    record Delegating(@JsonValue Map<String, String> texts) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegating {}
    }

    record Delegated(Delegating it) {}

    record DelegatedAdded(Delegating it, String tel) {
        DelegatedAdded {
            Objects.requireNonNull(tel);
        }
    }

    record Nested<T>(List<Map<String, AtomicReference<T>>> many, T[] array, Set<T> set) {}

    record NestedOld(Nested<Mail> all) {
        static NestedOld of() {
            Mail mail = new Mail("m");
            return new NestedOld(new Nested<>(
                    List.of(Map.of("k", new AtomicReference<>(mail))), new Mail[] {mail, new Mail("n")}, Set.of(mail)));
        }
    }

    record NestedAdded(Nested<Strict> all) {
        NestedAdded {
            List.copyOf(all.set());
        }
    }

    record NestedRenamed(Nested<Email> all) {}

    /** What is missing within is rejected outside. */
    record Demanding(MailAndTel inner) {
        Demanding {
            Objects.requireNonNull(inner.tel());
        }
    }

    record Holding(Mail inner) {}

    record Hashed(Set<HashedMail> set) {}

    record HashedMail(String mail, String tel) {
        @Override
        public int hashCode() {
            return tel.hashCode();
        }
    }

    record Mails(Set<Mail> set) {}

    /** Rejects what is there. */
    record Choosy(String mail) {
        Choosy {
            throw new IllegalArgumentException(mail);
        }
    }

    private enum Change {
        ADDED(new Mail("m"), MailAndTel.class, Entry.OLDER),
        RENAMED(new Mail("m"), Email.class, Entry.OTHER),
        REJECTED(new Mail("m"), Choosy.class, Entry.FAULT),
        BESIDE_UNWRAPPED(new Unwrapping.Old(new Name("a", "b"), "m"), Unwrapping.Added.class, Entry.OLDER),
        BESIDE_UNWRAPPED_STRICT(new Unwrapping.Old(new Name("a", "b"), "m"), Unwrapping.AddedStrict.class, Entry.OLDER),
        WITHIN_UNWRAPPED_STRICT(new Unwrapping.Old(new Name("a", "b"), "m"), Unwrapping.AddedWithin.class, Entry.OLDER),
        BESIDE_UNWRAPPED_RENAMED(new Unwrapping.Old(new Name("a", "b"), "m"), Unwrapping.Renamed.class, Entry.OTHER),
        BESIDE_UNWRAPPED_BEAN(new Unwrapping.Bean(), Unwrapping.AddedBean.class, Entry.OLDER),
        BESIDE_UNWRAPPED_BEAN_RENAMED(new Unwrapping.Bean(), Unwrapping.RenamedBean.class, Entry.OTHER),
        BESIDE_UNWRAPPED_BEAN_BACK(new Unwrapping.RenamedBean(), Unwrapping.Bean.class, Entry.OTHER),
        ANY(new Any.Old(), Any.Added.class, Entry.OLDER),
        ANY_RENAMED(new Any.Old(), Any.Renamed.class, Entry.OTHER),
        ANY_RENAMED_BACK(new Any.Renamed(), Any.Old.class, Entry.OTHER),
        ANY_WITH_OTHERS(new Any.Old().with("x"), Any.Added.class, Entry.OTHER),
        ANY_OMITTING(new Any.Omitting().with("x"), Any.Omitting.class, Entry.READ),
        MEMBER(new Members.Old(new Mail("m")), Members.Added.class, Entry.OLDER),
        MEMBER_RENAMED(new Members.Old(new Mail("m")), Members.Renamed.class, Entry.OTHER),
        COMPUTED(new Computed.Old("m"), Computed.Added.class, Entry.OLDER),
        COMPUTED_OF_IT(new Computed.Old("m"), Computed.AddedAndUsed.class, Entry.OLDER),
        COMPUTED_BEAN(new Computed.Bean(), Computed.AddedBean.class, Entry.OLDER),
        COMPUTED_RENAMED(new Computed.Old("m"), Email.class, Entry.OTHER),
        BUILDER(new Mail("m"), Built.class, Entry.OLDER),
        BUILDER_RENAMED(new Email("m"), Built.class, Entry.OTHER),
        FACTORY(new Mail("m"), Made.class, Entry.OLDER),
        CONSTRUCTOR(new Mail("m"), Strict.class, Entry.OLDER),
        SETTER(new IdAndMail("i", "m"), Setting.class, Entry.OLDER),
        NULLS(new Mail("m"), FailingOnNull.class, Entry.OLDER),
        SUBTYPE(new Typed.Old(1), Typed.After.class, Entry.OLDER),
        SUBTYPE_WITHIN(new Typed.HoldingOld(new Typed.Old(1)), Typed.HoldingAdded.class, Entry.OLDER),
        SUBTYPE_VISIBLE(new Typed.Seen(1), Typed.VisibleAfter.class, Entry.OLDER),
        SUBTYPE_EXTERNAL(new Typed.External(), Typed.ExternalAdded.class, Entry.OLDER),
        SUBTYPE_WRAPPED(new Typed.WrappedOld(1), Typed.WrappedAfter.class, Entry.OLDER),
        SUBTYPE_DEDUCED(new Typed.Cat("c", 9), Typed.PetAfter.class, Entry.OLDER),
        ALIAS(new Mail("m"), Aliased.class, Entry.OLDER),
        ALIAS_STRICT(new Mail("m"), AliasedStrict.class, Entry.OLDER),
        ARRAY(new Arrays.Old("m"), Arrays.Added.class, Entry.OLDER),
        ARRAY_REMOVED(new Arrays.Added("m", "t"), Arrays.Old.class, Entry.READ),
        ARRAY_STRICT(new Arrays.Old("m"), Arrays.AddedStrict.class, Entry.OLDER),
        ARRAY_BEAN(new Arrays.Bean(), Arrays.AddedBean.class, Entry.OLDER),
        ARRAY_MEMBER(new Arrays.Holding(new Mail("m")), Arrays.HoldingAdded.class, Entry.OLDER),
        IDENTITY(new Identified(), IdentifiedAdded.class, Entry.OLDER),
        BACK_REFERENCE(new Parent(), ParentAdded.class, Entry.OLDER),
        NAMING(new Snake("m"), SnakeAdded.class, Entry.OLDER),
        VIEW(new Mail("m"), Viewed.class, Entry.OLDER),
        BESIDE_OWN_JSON(new Badges(new Badge()), BadgesAdded.class, Entry.OLDER),
        OWN_JSON_STRICT(new Mail("m"), StrictBadge.class, Entry.OLDER),
        OWN_JSON_STRICT_RENAMED(new Email("m"), StrictBadge.class, Entry.OTHER),
        DELEGATING(new Delegated(new Delegating(Map.of("x", "y"))), DelegatedAdded.class, Entry.OLDER),
        NESTED(NestedOld.of(), NestedAdded.class, Entry.OLDER),
        NESTED_RENAMED(NestedOld.of(), NestedRenamed.class, Entry.OTHER),
        REJECTED_OUTSIDE(new Holding(new Mail("m")), Demanding.class, Entry.OLDER),
        REJECTED_BY_A_SET(new Mails(Set.of(new Mail("m"))), Hashed.class, Entry.OLDER);

        private final Object value;
        private final Class<?> to;
        private final Entry expected;

        Change(Object value, Class<?> to, Entry expected) {
            this.value = value;
            this.to = to;
            this.expected = expected;
        }
    }

    @ForEach
    void onlyAnEntryThatMerelyLacksAPropertyIsReplaced(Change change) throws Exception {
        assertThat(entry(change, JsonCodec::of)).as("Jackson 3").isEqualTo(change.expected);
        assertThat(entry(change, Jackson2Codec::of)).as("Jackson 2").isEqualTo(change.expected);
    }

    private static Entry entry(Change change, Function<Class<?>, ValueCodec<?>> codecs) throws Exception {
        return entry(codecs.apply(change.to), encoded(codecs.apply(change.value.getClass()), change.value));
    }

    @SuppressWarnings("unchecked") // the codec is of the class of the value
    private static byte[] encoded(ValueCodec<?> codec, Object value) throws Exception {
        return ((ValueCodec<Object>) codec).encode(value);
    }

    private static Entry entry(ValueCodec<?> codec, byte[] bytes) {
        Entry last = null;
        for (int time = 0; time < 3; time++) { // what a mapper learns from the first one must not matter
            Entry entry = Entry.READ;
            try {
                codec.decode(ByteBuffer.wrap(bytes));
            } catch (OtherVersionException e) {
                assertThat(e).hasMessageStartingWith("Missing ");
                entry = e.isOlder() ? Entry.OLDER : Entry.OTHER;
            } catch (Exception e) {
                entry = Entry.FAULT;
            }
            assertThat(entry).isEqualTo(last == null ? entry : last);
            last = entry;
        }
        return Objects.requireNonNull(last);
    }

    /** With what applications switch on so that a value without a property is never made. */
    @Test
    void addedPropertyIsMissingToAStrictMapperThatOmitsNulls() {
        tools.jackson.databind.json.JsonMapper three = tools.jackson.databind.json.JsonMapper.builder()
                .enable(
                        tools.jackson.databind.DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
                        tools.jackson.databind.DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                        tools.jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .changeDefaultPropertyInclusion(each -> each.withValueInclusion(JsonInclude.Include.NON_NULL))
                .build();
        com.fasterxml.jackson.databind.ObjectMapper two = com.fasterxml.jackson.databind.json.JsonMapper.builder()
                .enable(
                        com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
                        com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                        com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .defaultPropertyInclusion(
                        JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
                .build();
        byte[] old = "{\"mail\":\"m\"}".getBytes(UTF_8);
        byte[] renamed = "{\"eMail\":\"m\",\"tel\":\"t\"}".getBytes(UTF_8);

        for (Class<?> type : List.of(MailAndTel.class, Strict.class, Made.class)) {
            for (ValueCodec<?> codec : List.of(JsonCodec.of(type, three), Jackson2Codec.of(type, two))) {
                assertThat(entry(codec, old)).as("%s", type).isEqualTo(Entry.OLDER);
                assertThat(entry(codec, renamed)).as("%s", type).isEqualTo(Entry.OTHER);
            }
        }
        for (ValueCodec<?> codec :
                List.of(JsonCodec.of(StrictBadge.class, three), Jackson2Codec.of(StrictBadge.class, two))) {
            assertThat(entry(codec, old)).isEqualTo(Entry.OLDER);
            assertThat(entry(codec, renamed)).isEqualTo(Entry.OTHER);
        }
        for (ValueCodec<?> codec : List.of(JsonCodec.of(Built.class, three), Jackson2Codec.of(Built.class, two))) {
            assertThat(entry(codec, old)).isEqualTo(Entry.OLDER);
        }
    }

    @com.fasterxml.jackson.databind.annotation.JsonSerialize(using = Loud2.class)
    @tools.jackson.databind.annotation.JsonSerialize(using = Loud3.class)
    private interface Loudly {}

    private static final class Loud2 extends com.fasterxml.jackson.databind.JsonSerializer<Mail> {
        @Override
        public void serialize(
                Mail mail,
                com.fasterxml.jackson.core.JsonGenerator json,
                com.fasterxml.jackson.databind.SerializerProvider provider)
                throws java.io.IOException {
            json.writeStartObject();
            json.writeStringField("mail", mail.mail());
            json.writeStringField("loud", "!");
            json.writeEndObject();
        }
    }

    private static final class Loud3 extends tools.jackson.databind.ValueSerializer<Mail> {
        @Override
        public void serialize(
                Mail mail, tools.jackson.core.JsonGenerator json, tools.jackson.databind.SerializationContext context) {
            json.writeStartObject();
            json.writeStringProperty("mail", mail.mail());
            json.writeStringProperty("loud", "!");
            json.writeEndObject();
        }
    }

    private static final class Louder2 extends com.fasterxml.jackson.databind.JsonSerializer<MailAndTel> {
        @Override
        public void serialize(
                MailAndTel value,
                com.fasterxml.jackson.core.JsonGenerator json,
                com.fasterxml.jackson.databind.SerializerProvider provider)
                throws java.io.IOException {
            json.writeStartObject();
            json.writeStringField("mail", value.mail());
            json.writeStringField("tel", value.tel());
            json.writeStringField("loud", "!");
            json.writeEndObject();
        }
    }

    private static final class Louder3 extends tools.jackson.databind.ValueSerializer<MailAndTel> {
        @Override
        public void serialize(
                MailAndTel value,
                tools.jackson.core.JsonGenerator json,
                tools.jackson.databind.SerializationContext context) {
            json.writeStartObject();
            json.writeStringProperty("mail", value.mail());
            json.writeStringProperty("tel", value.tel());
            json.writeStringProperty("loud", "!");
            json.writeEndObject();
        }
    }

    record Louds(
            @com.fasterxml.jackson.databind.annotation.JsonSerialize(using = Loud2.class)
            @tools.jackson.databind.annotation.JsonSerialize(using = Loud3.class)
            Mail mail,

            @com.fasterxml.jackson.databind.annotation.JsonSerialize(contentUsing = Loud2.class)
            @tools.jackson.databind.annotation.JsonSerialize(contentUsing = Loud3.class)
            List<Mail> more,

            String tel) {}

    /** Serializers by a mix-in, and of properties. */
    @Test
    void whatASerializerAddsIsNoNameOfAnotherVersion() {
        byte[] plain = "{\"inner\":{\"mail\":\"m\",\"loud\":\"!\"},\"it\":1}".getBytes(UTF_8);
        byte[] louds =
                "{\"mail\":{\"mail\":\"m\",\"loud\":\"!\"},\"more\":[{\"mail\":\"m\",\"loud\":\"!\"}]}".getBytes(UTF_8);
        tools.jackson.databind.json.JsonMapper three = tools.jackson.databind.json.JsonMapper.builder()
                .addMixIn(Mail.class, Loudly.class)
                .build();
        com.fasterxml.jackson.databind.ObjectMapper two = com.fasterxml.jackson.databind.json.JsonMapper.builder()
                .addMixIn(Mail.class, Loudly.class)
                .build();

        record Loud(Mail inner, int it, String tel) {}

        assertThat(entry(JsonCodec.of(Loud.class, three), plain)).isEqualTo(Entry.OLDER);
        assertThat(entry(Jackson2Codec.of(Loud.class, two), plain)).isEqualTo(Entry.OLDER);
        assertThat(entry(JsonCodec.of(Loud.class), plain)).isEqualTo(Entry.OTHER);
        assertThat(entry(JsonCodec.of(Louds.class), louds)).isEqualTo(Entry.OLDER);
        assertThat(entry(Jackson2Codec.of(Louds.class), louds)).isEqualTo(Entry.OLDER);

        record Quiet(
                @com.fasterxml.jackson.databind.annotation.JsonSerialize(using = Louder2.class)
                @tools.jackson.databind.annotation.JsonSerialize(using = Louder3.class)
                MailAndTel inner) {}

        byte[] quiet = "{\"inner\":{\"mail\":\"m\",\"loud\":\"!\"}}".getBytes(UTF_8);
        assertThat(entry(JsonCodec.of(Quiet.class), quiet)).isEqualTo(Entry.OLDER);
        assertThat(entry(Jackson2Codec.of(Quiet.class), quiet)).isEqualTo(Entry.OLDER);
    }
}
