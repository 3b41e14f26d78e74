package io.stampedeguard.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** External text fits into a log line and has no effect there. */
@Isolated("sets the default locale of the JVM")
final class ShownTextTest {
    private static final long SEED = 4_711L;
    private static final String EMOJI = "\ud83d\ude00";

    @Test
    void plainTextIsQuoted() {
        assertThat(KeyEncoder.shown("")).isEqualTo("''");
        assertThat(KeyEncoder.shown("products:42")).isEqualTo("'products:42'");
        assertThat(KeyEncoder.shown("smörgås 中文 " + EMOJI)).isEqualTo("'smörgås 中文 " + EMOJI + "'");
    }

    @Test
    void lineBreaksAreEscaped() {
        assertThat(KeyEncoder.shown("a\nWARN forged\r\u0085\u2028\u2029"))
                .isEqualTo("'a\\u{a}WARN forged\\u{d}\\u{85}\\u{2028}\\u{2029}'");
    }

    @Test
    void terminalEscapesAreEscaped() {
        assertThat(KeyEncoder.shown("\u001b[31mred\u009b0m\u0000\u0007\u007f"))
                .isEqualTo("'\\u{1b}[31mred\\u{9b}0m\\u{0}\\u{7}\\u{7f}'");
    }

    @Test
    void invisibleAndReversingCharactersAreEscaped() {
        assertThat(KeyEncoder.shown("\u202eabc\u2066\u200b\ufeff\ue000"))
                .isEqualTo("'\\u{202e}abc\\u{2066}\\u{200b}\\u{feff}\\u{e000}'");
        assertThat(KeyEncoder.shown("\udb40\udc41")).as("a tag character").isEqualTo("'\\u{e0041}'");
    }

    @Test
    void quotesAndBackslashesAreEscaped() {
        assertThat(KeyEncoder.shown("it's \\u{a}")).isEqualTo("'it\\'s \\\\u{a}'");
    }

    @Test
    void halfOfAPairIsEscaped() {
        assertThat(KeyEncoder.shown("\ud83d")).isEqualTo("'\\u{d83d}'");
        assertThat(KeyEncoder.shown("\ude00\ud83d")).isEqualTo("'\\u{de00}\\u{d83d}'");
    }

    @Test
    void longTextIsCut() {
        assertThat(KeyEncoder.shown("x".repeat(64))).isEqualTo("'" + "x".repeat(64) + "'");
        assertThat(KeyEncoder.shown("x".repeat(65))).isEqualTo("'" + "x".repeat(64) + "…' (65 characters)");
        assertThat(KeyEncoder.shown("\n".repeat(1_000_000))).hasSizeLessThan(64 * 10);
    }

    @Test
    void emojiIsNotCutInHalf() {
        String text = "x".repeat(63) + EMOJI;

        assertThat(KeyEncoder.shown(text)).isEqualTo("'" + text + "'");
        assertThat(KeyEncoder.shown(text + EMOJI)).isEqualTo("'" + text + "…' (67 characters)");
    }

    @Test
    void textIsShownAlikeInEachCountry() {
        Locale here = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(KeyEncoder.shown("\u202e" + "x".repeat(100)))
                    .startsWith("'\\u{202e}x")
                    .endsWith("(101 characters)");
        } finally {
            Locale.setDefault(here);
        }
    }

    @Test
    void anyTextIsShownInOneBoundedLineWithoutControls() {
        Random random = new Random(SEED);
        for (int i = 0; i < 50_000; i++) {
            char[] chars = new char[random.nextInt(200)];
            for (int at = 0; at < chars.length; at++) {
                chars[at] = (char) random.nextInt(random.nextBoolean() ? 0x100 : 0x10000);
            }
            String shown = KeyEncoder.shown(new String(chars));

            assertThat(shown).as("text %d of seed %d", i, SEED).hasSizeBetween(2, 700);
            assertThat(shown.codePoints().noneMatch(ShownTextTest::acts))
                    .as("text %d of seed %d: %s", i, SEED, shown)
                    .isTrue();
        }
    }

    private static boolean acts(int point) {
        int type = Character.getType(point);
        return Character.isISOControl(point)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }
}
