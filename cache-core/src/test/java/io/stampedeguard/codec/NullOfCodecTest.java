package io.stampedeguard.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.TextCodec;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A codec that returns {@code null} is named, with the key. */
final class NullOfCodecTest {
    private static final String NAME = Nulls.class.getName();

    /** Returns {@code null} instead of bytes or of an identity. */
    private static final class Nulls extends TextCodec {
        private final boolean ofIdentity;

        Nulls(boolean ofIdentity) {
            super("nulls", 1);
            this.ofIdentity = ofIdentity;
        }

        @Override
        @SuppressWarnings("NullAway")
        public byte[] encode(String value) {
            return null;
        }

        @Override
        @SuppressWarnings("NullAway")
        public CodecIdentity identity() {
            return ofIdentity ? null : super.identity();
        }
    }

    /** Returns {@code null} instead of codecs that it also reads, or with them. */
    private static final class Reading extends TextCodec {
        private final @Nullable List<ValueCodec<String>> others;

        Reading(@Nullable List<ValueCodec<String>> others) {
            super("reading", 1);
            this.others = others;
        }

        @Override
        @SuppressWarnings("NullAway")
        public List<ValueCodec<String>> alsoReads() {
            return others;
        }
    }

    private static StampedeGuardedCacheBuilder<String, String> builder(boolean ofIdentity) {
        return builder(new Nulls(ofIdentity));
    }

    private static StampedeGuardedCacheBuilder<String, String> builder(ValueCodec<String> codec) {
        return StampedeGuardedCache.<String, String>builder("nulls")
                .store(InMemoryStore.create())
                .codec(codec);
    }

    @Test
    void noCacheIsBuiltWithoutAnIdentity() {
        assertThatThrownBy(() -> builder(true).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'nulls' needs a codec with an identity: " + NAME + ".identity() returned null");
    }

    @Test
    void noCacheIsBuiltWithoutTheCodecsThatItsCodecAlsoReads() {
        String message = "cache 'nulls' needs a codec that also reads a list of codecs: " + Reading.class.getName()
                + ".alsoReads() returned ";

        assertThatThrownBy(() -> builder(new Reading(null)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message + "null");
        assertThatThrownBy(() ->
                        builder(new Reading(Collections.singletonList(null))).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message + "[null]");
        assertThatThrownBy(() -> builder(new Reading(List.of(new Nulls(true)))).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'nulls' needs a codec with an identity: " + NAME + ".identity() returned null");
    }

    @Test
    void encodedNullIsAFaultThatNamesCodecAndKey() {
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<String, String> cache = builder(false).build()) {
            assertThat(cache.get("k", key -> "v")).isEqualTo("v");
            assertThat(cache.getAll(List.of("a"), keys -> Map.of("a", "v"))).containsEntry("a", "v");

            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(2);
            assertThat(log.text())
                    .contains(
                            "the value of 'nulls:k' is returned, but not stored",
                            NAME + ".encode returned null for a value of java.lang.String")
                    .doesNotContain("NullPointerException");
        }
    }

    @Test
    void putOfAnEncodedNullNamesCodecAndKey() {
        try (StampedeGuardedCache<String, String> cache = builder(false).build()) {
            assertThatThrownBy(() -> cache.put("k", "v"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'nulls:k'")
                    .cause()
                    .hasMessage(NAME + ".encode returned null for a value of java.lang.String");
        }
    }
}
