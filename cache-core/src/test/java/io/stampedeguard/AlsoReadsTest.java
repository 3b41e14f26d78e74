package io.stampedeguard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.RecordingListener;
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
    private static class Texts implements ValueCodec<String> {
        @Override
        public CodecIdentity identity() {
            return new CodecIdentity("texts", 1);
        }

        @Override
        public byte[] encode(String value) {
            return value.getBytes(UTF_8);
        }

        @Override
        public String decode(ByteBuffer payload) {
            return UTF_8.decode(payload).toString();
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

    @Test
    void changedValueIsReportedBesideACodecThatOnlyDecodes() {
        try (StampedeGuardedCache<String, String> cache = cache(new Growing())) {
            cache.get("k", key -> "one");

            assertThat(listener.count(EventType.ADVICE_VALUE_CHANGED_BY_CODEC)).isEqualTo(1);
            assertThat(cache.faults(FaultSource.CODEC)).isZero();
        }
    }
}
