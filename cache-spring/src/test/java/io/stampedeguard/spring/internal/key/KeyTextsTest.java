package io.stampedeguard.spring.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.spring.StampedeKeyConverter;
import io.stampedeguard.spring.StampedeTag;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.interceptor.SimpleKeyGenerator;

/** The texts under which keys of all types are stored. */
final class KeyTextsTest {
    record Money(long cents, @Nullable String currency) {}

    record Period(Money from, List<Money> others) {}

    static class Isbn {
        final String digits;

        Isbn(String digits) {
            this.digits = digits;
        }
    }

    static final class LongIsbn extends Isbn {
        LongIsbn(String digits) {
            super(digits);
        }
    }

    private final KeyTexts keys = new KeyTexts(List.of(), false);

    static Stream<Object> standardKeys() {
        return Stream.of(
                "a",
                "",
                "null",
                "\"\"",
                "a,b=c[d",
                1,
                -1L,
                (short) 3,
                (byte) 4,
                'c',
                true,
                1.5,
                2.5F,
                new BigInteger("12345678901234567890"),
                new BigDecimal("1.50"),
                TimeUnit.SECONDS,
                new UUID(1, 2));
    }

    @ParameterizedTest
    @MethodSource("standardKeys")
    void simpleKeysHaveTheTextOfTheCore(Object key) {
        assertThat(keys.of(key, null)).isEqualTo(KeyEncoder.standard().of(key));
    }

    static Stream<Arguments> texts() {
        String name = KeyTextsTest.class.getName();
        return Stream.of(
                Arguments.of("a]", "a]\\"),
                Arguments.of("a\\", "a\\\\"),
                Arguments.of(LocalDate.of(2026, 11, 28), "2026-11-28"),
                Arguments.of(YearMonth.of(2026, 11), "2026-11"),
                Arguments.of(Duration.ofSeconds(90), "PT1M30S"),
                Arguments.of(Locale.GERMANY, "de_DE"),
                Arguments.of(Currency.getInstance("EUR"), "EUR"),
                Arguments.of(SimpleKey.EMPTY, "[]"),
                Arguments.of(new SimpleKey(2026, "de"), "[2026,de]"),
                Arguments.of(new SimpleKey((Object) null), "[null]"),
                Arguments.of(new SimpleKey("null", ""), "[\\null,\"\"]"),
                Arguments.of(new SimpleKey("\"x", "a,b", "[c]", "d=e\\"), "[\\\"x,a\\,b,\\[c\\],d\\=e\\\\]"),
                Arguments.of(new SimpleKey(List.of(1, 2), 3), "[list[1,2],3]"),
                Arguments.of(List.of(1, 2), "list[1,2]"),
                Arguments.of(Set.of(2, 1, 3), "set[1,2,3]"),
                Arguments.of(Map.of("b", 2, "a", List.of()), "map[a=list[],b=2]"),
                Arguments.of(new String[] {"a", null}, "array[a,null]"),
                Arguments.of(new long[] {1, 2}, "array[1,2]"),
                Arguments.of(new int[][] {{1}, {}}, "array[array[1],array[]]"),
                Arguments.of(Optional.of("a"), "optional[a]"),
                Arguments.of(Optional.empty(), "optional[]"),
                Arguments.of(new Money(10, "EUR"), name + "$Money[10,EUR]"),
                Arguments.of(
                        new Period(new Money(1, null), List.of(new Money(2, "A"))),
                        name + "$Period[" + name + "$Money[1,null],list[" + name + "$Money[2,A]]]"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void otherKeysHaveTheseTexts(Object key, String text) {
        assertThat(keys.of(key, null)).isEqualTo(text);
    }

    @Test
    @SuppressWarnings("NullAway") // a caller's mistake
    void nullIsNoKey() {
        assertThatNullPointerException()
                .isThrownBy(() -> keys.of(null, "Products.find"))
                .withMessage("null key (Products.find)");
    }

    @Test
    void keysOfSpringThatLookTheSameHaveDifferentTexts() {
        SimpleKey one = new SimpleKey("a, b", "c");
        SimpleKey other = new SimpleKey("a", "b, c");

        assertThat(one).hasToString(other.toString()).isNotEqualTo(other);
        assertThat(keys.of(one, null)).isNotEqualTo(keys.of(other, null));
    }

    @Test
    void equalKeysHaveEqualTexts() {
        assertThat(keys.of(new ArrayList<>(List.of(1, 2)), null)).isEqualTo(keys.of(Arrays.asList(1, 2), null));
        assertThat(keys.of(new TreeSet<>(Set.of(3, 10)), null)).isEqualTo(keys.of(Set.of(10, 3), null));
        assertThat(keys.of(new SimpleKey((Object) new int[] {1}), null))
                .isEqualTo(keys.of(new SimpleKey((Object) new int[] {1}), null));
    }

    /** As in the core, by default: the text of a key does not depend on whether a method takes an int or a long. */
    @Test
    void numberAndItsTextDifferOnlyIfKeysAreTyped() {
        List<Object> ones = List.of(1, 1L, "1", '1', new BigDecimal("1"));
        KeyTexts typed = new KeyTexts(List.of(), true);

        assertThat(ones.stream().map(each -> keys.of(each, null)).distinct()).containsExactly("1");
        assertThat(ones.stream().map(each -> typed.of(each, null)))
                .containsExactly("Integer:1", "Long:1", "String:1", "Character:1", "BigDecimal:1");
        assertThat(ones.stream().map(each -> typed.of(new SimpleKey(each, "a"), null)))
                .doesNotHaveDuplicates()
                .contains("[Long:1,String:a]");
        assertThat(typed.of(TimeUnit.DAYS, null)).isEqualTo("TimeUnit:DAYS");
    }

    @Test
    void keysThatSpringGeneratesHaveTexts() {
        Object none = SimpleKeyGenerator.generateKey();
        Object one = SimpleKeyGenerator.generateKey(7L);
        Object array = SimpleKeyGenerator.generateKey((Object) new long[] {7});

        assertThat(Stream.of(none, one, array).map(each -> keys.of(each, null)))
                .containsExactly("[]", "7", "[array[7]]");
    }

    @Test
    void typeWithoutTextIsNamedWithItsMethodAndTheRemedy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.of(new Isbn("1"), "BookService.find"))
                .withMessage("Key type Isbn (BookService.find) has no text. Define a StampedeKeyConverter bean.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.of(new SimpleKey(1, new Isbn("1")), null))
                .withMessage("Key type Isbn has no text. Define a StampedeKeyConverter bean.");
    }

    @Test
    void convertersGiveTypesTheirText() {
        KeyTexts converted = new KeyTexts(
                List.of(
                        StampedeKeyConverter.of(Object.class, each -> "any"),
                        StampedeKeyConverter.of(LongIsbn.class, each -> "long-" + each.digits),
                        StampedeKeyConverter.of(Isbn.class, each -> each.digits)),
                false);

        assertThat(converted.of(new Isbn("12]"), null)).isEqualTo("12]\\");
        assertThat(converted.of(new LongIsbn("12"), null)).isEqualTo("long-12");
        assertThat(converted.of(LocalDate.of(2026, 1, 1), null)).isEqualTo("any");
    }

    @Test
    void typedKeyOfConverterNamesItsType() {
        KeyTexts typed = new KeyTexts(List.of(StampedeKeyConverter.of(Isbn.class, each -> each.digits)), true);

        assertThat(typed.of(new LongIsbn("12"), null)).isEqualTo(Isbn.class.getName() + ":12");
    }

    @Test
    @SuppressWarnings("NullAway") // user code
    void converterThatReturnsNullIsNamed() {
        KeyTexts converted = new KeyTexts(List.of(StampedeKeyConverter.of(Isbn.class, each -> null)), false);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> converted.of(new Isbn("1"), null))
                .withMessageContaining("returned null for a key of type Isbn");
    }

    @Test
    void tagIsNoKey() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.of(new StampedeTag("supplier:7"), "ProductService.find"))
                .withMessage("Tag 'supplier:7' (ProductService.find) is no key: @stampede.tag(...) is for the key of an"
                        + " @CacheEvict.");
    }

    @Test
    void keyThatContainsItselfIsRejected() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.of(endless, "A.b"))
                .withMessage("A key (A.b) has more than 32 levels, or contains itself.");
    }

    @Test
    void unmodifiableAndEmptyCollectionsAreKeys() {
        assertThat(keys.of(Collections.unmodifiableCollection(List.of(1)), null))
                .isEqualTo("collection[1]");
        assertThat(keys.of(Collections.emptyMap(), null)).isEqualTo("map[]");
    }
}
