package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.TextCodec;
import io.stampedeguard.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A codec takes the place of another one, whose entries it also reads. */
final class AlsoReadsTest {
    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final RecordingListener listener = new RecordingListener();

    /** Texts as they are. */
    private static class Texts extends TextCodec {
        Texts() {
            super("texts", 1);
        }
    }

    /** Texts from their end to their beginning, in entries with heads as long as those of {@link Texts}. */
    private static final class Reversed implements ValueCodec<String> {
        @Override
        public CodecIdentity identity() {
            return new CodecIdentity("stxet", 1);
        }

        @Override
        public List<ValueCodec<String>> alsoReads() {
            return List.of(new Texts());
        }

        @Override
        public byte[] encode(String value) {
            return new StringBuilder(value).reverse().toString().getBytes(UTF_8);
        }

        @Override
        public String decode(ByteBuffer payload) {
            return new StringBuilder(UTF_8.decode(payload)).reverse().toString();
        }
    }

    /** Adds a character to each text that it decodes, and also reads what it cannot encode. */
    private static final class Growing extends Texts {
        @Override
        public String decode(ByteBuffer payload) {
            return super.decode(payload) + "!";
        }

        @Override
        public List<ValueCodec<String>> alsoReads() {
            return List.of(new DecodeOnly());
        }
    }

    private static final class DecodeOnly extends Texts {
        @Override
        public CodecIdentity identity() {
            return new CodecIdentity("old", 1);
        }

        @Override
        public byte[] encode(String value) {
            throw new UnsupportedOperationException();
        }
    }

    private StampedeGuardedCache<String, String> cache(ValueCodec<String> codec) {
        return StampedeGuardedCache.<String, String>builder("changing")
                .store(store)
                .codec(codec)
                .policy(CachePolicy.builder().softTtl(ofSeconds(60)).jitter(0).build())
                .listener(listener)
                .timeSource(time)
                .build();
    }

    private Entry stored(String key) {
        return requireNonNull(Entry.decode(requireNonNull(on(store).read("changing:" + key))));
    }

    @Test
    void unmodifiedValueIsStoredAgainByTheNewCodec() {
        try (StampedeGuardedCache<String, String> before = cache(new Texts());
                StampedeGuardedCache<String, String> now = cache(new Reversed())) {
            before.get("k", key -> "one");
            time.advance(ofSeconds(61));
            assertThat(now.get("k", Loader.adaptive((key, previous) -> LoadedValue.notModified())))
                    .isEqualTo("one");
            until(() -> listener.count(EventType.LOAD_STORED) == 2);

            assertThat(stored("k").codec()).isEqualTo(new Reversed().identity());
            assertThat(UTF_8.decode(stored("k").payload()).toString()).isEqualTo("eno");
            assertThat(now.getIfPresent("k")).isEqualTo("one");
            assertThat(now.faults(FaultSource.CODEC)).isZero();
        }
    }

    @Test
    void changedValueIsReportedBesideACodecThatOnlyDecodes() {
        try (StampedeGuardedCache<String, String> cache = cache(new Growing())) {
            cache.get("k", key -> "one");

            assertThat(listener.count(EventType.ADVICE_VALUE_CHANGED_BY_CODEC)).isEqualTo(1);
            assertThat(cache.faults(FaultSource.CODEC)).isZero();
        }
    }
}
