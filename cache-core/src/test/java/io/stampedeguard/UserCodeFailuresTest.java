package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** P7: a listener or codec that throws is logged and counted, and fails no load. */
final class UserCodeFailuresTest {
    private final VirtualTime time = new VirtualTime();
    private final SharedStore store = InMemoryStore.create(time);
    private final RecordingListener listener = new RecordingListener();
    private final Origin origin = new Origin("one");

    @Test
    void throwingListenerIsCountedAndDisturbsNothing() {
        CacheListener broken = new CacheListener() {
            @Override
            public void onEvent(String cache, CacheEvent event) {
                switch (event.type()) {
                    case STORE_ABSENT, STORE_FRESH -> throw new IllegalStateException("listener is broken");
                    case LEASE_GRANTED -> throw new AssertionError("listener is broken");
                    case LOAD_STORED -> throw new NoClassDefFoundError("listener is broken");
                    default -> {}
                }
            }
        };
        try (StampedeGuardedCache<String, String> cache =
                builder().listener(broken).build()) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(cache.get("k", origin::read)).isEqualTo("one");

            assertThat(origin.reads()).isEqualTo(1);
            assertThat(cache.faults(FaultSource.LISTENER)).isEqualTo(4);
        }
    }

    @Test
    void valueThatCannotBeEncodedIsReturnedToAllWhoWaitAndNotStored() throws Exception {
        Broken codec = new Broken();
        codec.encodes = false;
        try (StampedeGuardedCache<String, String> cache = builder().codec(codec).build();
                Callers callers = new Callers()) {
            origin.close();
            List<Callers.Call<String>> calls = callers.call(8, () -> cache.get("k", origin::read));
            time.awaitWaiting(7);
            origin.open();
            for (Callers.Call<String> call : calls) {
                assertThat(call.result()).isEqualTo("one");
            }

            assertThat(origin.reads()).isEqualTo(1);
            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(1);
            assertThat(listener.count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
            assertThat(on(store).lease("foreign:k", LeaseToken.next(), null, ofSeconds(1)))
                    .as("nothing stored, and nobody waits for anybody")
                    .isInstanceOf(LeaseAttempt.NotCacheable.class);
        }
    }

    @Test
    void errorWhileAValueIsEncodedLeavesNoLeaseBehind() {
        Broken codec = new Broken();
        codec.encodes = false;
        codec.failure = new OutOfMemoryError("no room for the value");
        try (StampedeGuardedCache<String, String> cache = builder().codec(codec).build()) {
            assertThatThrownBy(() -> cache.get("k", origin::read)).isSameAs(codec.failure);

            until(() -> on(store).lease("foreign:k", LeaseToken.next(), null, ofSeconds(1))
                    instanceof LeaseAttempt.Granted);
        }
    }

    @Test
    void valueThatCannotBeDecodedIsLoadedAndTheEntryIsLeftToThoseWhoCan() {
        Broken codec = new Broken();
        try (StampedeGuardedCache<String, String> cache = builder().codec(codec).build()) {
            cache.get("k", origin::read);
            codec.decodes = false;
            origin.write("two");
            assertThat(cache.get("k", origin::read)).isEqualTo("two");
            codec.decodes = true;

            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(origin.reads()).isEqualTo(2);
            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(1);
            assertThat(listener.count(EventType.STORE_INCOMPATIBLE)).isEqualTo(1);
        }
    }

    @Test
    void putOfAValueThatCannotBeEncodedSaysSo() {
        Broken codec = new Broken();
        codec.encodes = false;
        try (StampedeGuardedCache<String, String> cache = builder().codec(codec).build()) {
            assertThatThrownBy(() -> cache.put("k", "v"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'foreign:k'")
                    .hasRootCauseMessage("codec is broken");
        }
    }

    @Test
    void logNamesTheKeyOfACodecsFaultAndWhatHappens() {
        Broken codec = new Broken();
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<String, String> cache =
                        builder("foreign-codec").codec(codec).build()) {
            cache.get("stored", origin::read);
            codec.encodes = false;
            cache.get("k", origin::read);
            assertThat(log.warningsOf("foreign-codec"))
                    .singleElement()
                    .asString()
                    .contains("codec fault, the value of 'foreign-codec:k' is returned, but not stored");

            codec.decodes = false;
            time.advance(ofSeconds(60));
            cache.get("stored", origin::read);
            assertThat(log.warningsOf("foreign-codec").get(1))
                    .contains(
                            "codec fault, the entry of 'foreign-codec:stored' cannot be decoded, and counts as missing");
        }
    }

    @Test
    void valueThatIsTooLargeIsAFaultOfItsOwn() {
        CachePolicy small = CachePolicy.builder().maxPayloadBytes(2).build();
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<String, String> cache =
                        builder("foreign-size").policy(small).build()) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(cache.getAll(List.of("a"), keys -> Map.of("a", "one"))).containsEntry("a", "one");

            assertThat(cache.faults(FaultSource.SIZE)).isEqualTo(2);
            assertThat(cache.faults(FaultSource.CODEC)).isZero();
            assertThat(log.warningsOf("foreign-size").get(0))
                    .contains("size fault, the value of 'foreign-size:k' is returned, but not stored");
            assertThat(log.text()).contains("the value has 3 bytes, more than the maxPayloadBytes 2");
            assertThatThrownBy(() -> cache.put("k", "one"))
                    .hasRootCauseMessage("the value has 3 bytes, more than the maxPayloadBytes 2");
        }
    }

    private StampedeGuardedCacheBuilder<String, String> builder() {
        return builder("foreign");
    }

    private StampedeGuardedCacheBuilder<String, String> builder(String name) {
        return StampedeGuardedCache.<String, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .listener(listener)
                .timeSource(time);
    }

    /** A codec that can be made to fail. */
    private static final class Broken implements ValueCodec<String> {
        private boolean encodes = true;
        private boolean decodes = true;
        private Error failure = new AssertionError("codec is broken");

        @Override
        public byte[] encode(String value) {
            if (!encodes) {
                throw failure;
            }
            return value.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(ByteBuffer payload) throws Exception {
            if (!decodes) {
                throw new IOException("codec is broken");
            }
            return StringCodec.of().decode(payload);
        }
    }
}
