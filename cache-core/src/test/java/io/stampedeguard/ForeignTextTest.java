package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedCodec;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Texts that other processes have written have no effect in messages, logs, and reports of this one. */
final class ForeignTextTest {
    private static final String FORGED =
            "no row\n2026-01-01 ERROR all data is lost\r\u001b[31mred\u009b0m\u202ereversed\u2066\u0007\u2028";

    private static final String ESCAPED =
            "no row\\u{a}2026-01-01 ERROR all data is lost\\u{d}\\u{1b}[31mred\\u{9b}0m\\u{202e}reversed\\u{2066}\\u{7}\\u{2028}";

    @AutoClose
    private final Fleet fleet = new Fleet(2, CachePolicy.builder().jitter(0).build());

    @ForEach
    void messageOfAnotherProcessesFailureIsEscaped(FormOfGet form) {
        fleet.origin().fail(new IllegalStateException(FORGED));
        assertThat(catchThrowable(() -> fleet.cache(0).get("k", fleet.origin()::read)))
                .hasRootCauseMessage(FORGED);
        try (StampedeGuardedCache<String, String> other = fleet.builder("fleet").build()) {
            RecentLoadFailureException failure =
                    catchThrowableOfType(RecentLoadFailureException.class, () -> form.ask(other, fleet.origin()));

            assertThat(failure).hasMessageEndingWith("java.lang.IllegalStateException: " + ESCAPED);
            assertThat(failure.failureMessage()).as("for programs").isEqualTo(FORGED);
            assertThat(other.explain("k").toString())
                    .contains("no row\\u{a}2026")
                    .doesNotContain("\r", "\u001b", "row\n2026");
        }
    }

    @Test
    void messageOfABulkFailureIsEscaped() {
        fleet.origin().fail(new IllegalStateException(FORGED));
        assertThatThrownBy(() -> fleet.cache(0).get("k", fleet.origin()::read)).isNotNull();

        assertThatThrownBy(() -> fleet.cache(1).getAll(List.of("k"), keys -> null))
                .isInstanceOf(BulkLoadException.class)
                .hasMessageContaining(ESCAPED);
    }

    /** A codec's exception often quotes what another process has stored. */
    @Test
    void logOfACodecFaultIsEscaped() {
        ScriptedCodec quoting = ScriptedCodec.decoding(value -> {
            throw new IllegalStateException("outer", new IllegalArgumentException("not a number: " + FORGED));
        });
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<String, String> cache =
                        fleet.builder("quotes").codec(quoting).build()) {
            cache.put("k", "v");

            assertThat(cache.get("k", key -> "loaded")).isEqualTo("loaded");

            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(2); // the read, and the read-back of what was loaded
            assertThat(log.warningsOf("quotes")).hasSize(1);
            assertThat(log.text())
                    .contains(
                            "java.lang.IllegalStateException: outer",
                            "Caused by: java.lang.IllegalArgumentException: not a number: " + ESCAPED,
                            "at " + getClass().getName())
                    .doesNotContain("ERROR all data is lost\r", "\u001b[31mred\u009b");
        }
    }

    @Test
    void plainTextIsNotCopied() {
        for (String plain : List.of("", "connection refused", "smörgås 中文 \ud83d\ude00", "x".repeat(500))) {
            assertThat(KeyEncoder.printable(plain)).isSameAs(plain);
        }
        assertThat(KeyEncoder.printable("x".repeat(501))).isEqualTo("x".repeat(500) + "… (501 characters)");
        assertThat(KeyEncoder.printable("C:\\it's\ud83d")).isEqualTo("C:\\it's\\u{d83d}");
    }
}
