package io.stampedeguard.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Which keys have a distinct text, and what it is. */
@Isolated("sets the default locale of the JVM")
final class KeyEncoderTest {
    private enum Size {
        SMALL {
            @Override
            public String toString() {
                return "tiny";
            }
        },
        LARGE;

        @Override
        public String toString() {
            return "huge";
        }
    }

    private static final class Fraction extends Number {
        @Override
        public int intValue() {
            return 0;
        }

        @Override
        public long longValue() {
            return 0;
        }

        @Override
        public float floatValue() {
            return 0.5f;
        }

        @Override
        public double doubleValue() {
            return 0.5;
        }
    }

    private final KeyEncoder<Object> text = KeyEncoder.standard();

    @Test
    void stringIsItsOwnText() {
        for (String key : new String[] {"", " ", "a:b", "{x}", "%7B", "\u0000\n", "\ud83d\ude00"}) {
            assertThat(text.of(key)).isEqualTo(key);
        }
    }

    @Test
    void numberIsItsDigits() {
        assertThat(text.of((byte) -128)).isEqualTo("-128");
        assertThat(text.of((short) 7)).isEqualTo("7");
        assertThat(text.of(Integer.MIN_VALUE)).isEqualTo("-2147483648");
        assertThat(text.of(Long.MAX_VALUE)).isEqualTo("9223372036854775807");
        assertThat(text.of(0.5f)).isEqualTo("0.5");
        assertThat(text.of(-0.0)).isEqualTo("-0.0");
        assertThat(text.of(BigInteger.TEN.pow(30))).isEqualTo("1" + "0".repeat(30));
        assertThat(text.of(new BigDecimal("1.0"))).isEqualTo("1.0");
        assertThat(text.of(new BigDecimal("1.00"))).as("another key").isEqualTo("1.00");
    }

    @Test
    void numberIsTheSameTextInEachCountry() {
        Locale here = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(text.of(1_234_567L)).isEqualTo("1234567");
            assertThat(text.of(1.5)).isEqualTo("1.5");
        } finally {
            Locale.setDefault(here);
        }
    }

    @Test
    void uuidCharacterAndBooleanAreTheirUsualText() {
        assertThat(text.of(new UUID(1, 2))).isEqualTo("00000000-0000-0001-0000-000000000002");
        assertThat(text.of('x')).isEqualTo("x");
        assertThat(text.of(true)).isEqualTo("true");
    }

    @Test
    void enumConstantIsItsNameWhateverItsToStringSays() {
        assertThat(text.of(Size.SMALL)).isEqualTo("SMALL");
        assertThat(text.of(Size.LARGE)).isEqualTo("LARGE");
    }

    @Test
    void objectWhoseTextMayChangeIsRefused() {
        for (Object key :
                new Object[] {new Object(), new Date(0), List.of("a"), new int[] {1}, new StringBuilder("a"), Size.class
                }) {
            assertRefused(key);
        }
    }

    @Test
    void numberThatChangesOrHasNoKnownTextIsRefused() {
        for (Object key : new Object[] {new AtomicInteger(1), new AtomicLong(1), new LongAdder(), new Fraction()}) {
            assertRefused(key);
        }
    }

    private void assertRefused(Object key) {
        assertThatThrownBy(() -> text.of(key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key.getClass().getName())
                .hasMessageContaining("keyEncoder(...)");
    }
}
