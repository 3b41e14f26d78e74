package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedCodec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P7: a listener or codec that throws is logged and counted, and fails no load. */
final class UserCodeFailuresTest {
    @AutoClose
    private final Fleet fleet = new Fleet(0, CachePolicy.defaults());

    private final RecordingListener listener = fleet.listener();
    private final Origin origin = fleet.origin();
    private boolean encodes = true;
    private boolean decodes = true;
    private Error failure = new AssertionError("codec is broken");

    /** A codec that can be made to fail. */
    private final ScriptedCodec codec = new ScriptedCodec(
            value -> {
                if (!encodes) {
                    throw failure;
                }
            },
            value -> {
                if (!decodes) {
                    throw new IOException("codec is broken");
                }
            });

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
                fleet.builder("foreign").listener(broken).build()) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(cache.get("k", origin::read)).isEqualTo("one");

            assertThat(origin.reads()).isEqualTo(1);
            assertThat(cache.faults(FaultSource.LISTENER)).isEqualTo(4);
        }
    }

    @Test
    void unencodableValueAnswersAllWaitingCallersAndIsNotStored() throws Exception {
        encodes = false;
        try (StampedeGuardedCache<String, String> cache =
                fleet.builder("foreign").codec(codec).build()) {
            origin.close();
            List<Callers.Call<String>> calls = fleet.callers().call(8, () -> cache.get("k", origin::read));
            fleet.time().awaitWaiting(7);
            origin.open();
            assertThat(Callers.results(calls)).containsOnly("one");

            assertThat(origin.reads()).isEqualTo(1);
            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(1);
            assertThat(listener.count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
            assertThat(on(fleet.store()).lease("foreign:k", LeaseToken.next(), null, ofSeconds(1)))
                    .as("nothing stored, and nobody waits for anybody")
                    .isInstanceOf(LeaseAttempt.NotCacheable.class);
        }
    }

    @Test
    void errorWhileAValueIsEncodedLeavesNoLeaseBehind() {
        encodes = false;
        failure = new OutOfMemoryError("no room for the value");
        try (StampedeGuardedCache<String, String> cache =
                fleet.builder("foreign").codec(codec).build()) {
            assertThatThrownBy(() -> cache.get("k", origin::read)).isSameAs(failure);

            until(() -> on(fleet.store()).lease("foreign:k", LeaseToken.next(), null, ofSeconds(1))
                    instanceof LeaseAttempt.Granted);
        }
    }

    @Test
    void undecodableValueIsLoadedAgainAndItsEntryIsKept() {
        try (StampedeGuardedCache<String, String> cache =
                fleet.builder("foreign").codec(codec).build()) {
            cache.get("k", origin::read);
            decodes = false;
            origin.write("two");
            assertThat(cache.get("k", origin::read)).isEqualTo("two");
            decodes = true;

            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(origin.reads()).isEqualTo(2);
            assertThat(cache.faults(FaultSource.CODEC)).isEqualTo(1);
            assertThat(listener.count(EventType.STORE_INCOMPATIBLE)).isEqualTo(1);
        }
    }

    @Test
    void putOfAValueThatCannotBeEncodedSaysSo() {
        encodes = false;
        try (StampedeGuardedCache<String, String> cache =
                fleet.builder("foreign").codec(codec).build()) {
            assertThatThrownBy(() -> cache.put("k", "v"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'foreign:k'")
                    .hasRootCauseMessage("codec is broken");
        }
    }

    @Test
    void logNamesTheKeyOfACodecsFaultAndWhatHappens() {
        try (CapturedLog log = new CapturedLog();
                StampedeGuardedCache<String, String> cache =
                        fleet.builder("foreign-codec").codec(codec).build()) {
            cache.get("stored", origin::read);
            encodes = false;
            cache.get("k", origin::read);
            assertThat(log.warningsOf("foreign-codec"))
                    .singleElement()
                    .asString()
                    .contains("codec fault, the value of 'foreign-codec:k' is returned, but not stored");

            decodes = false;
            fleet.time().advance(ofSeconds(60));
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
                        fleet.builder("foreign-size").policy(small).build()) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(cache.getAll(List.of("a"), keys -> Map.of("a", "one"))).containsEntry("a", "one");

            assertThat(cache.faults(FaultSource.SIZE)).isEqualTo(2);
            assertThat(cache.faults(FaultSource.CODEC)).isZero();
            assertThat(log.warningsOf("foreign-size").get(0))
                    .contains("size fault, the value of 'foreign-size:k' is returned, but not stored");
            assertThat(log.text()).contains("the value has 3 bytes, more than the maxPayloadBytes 2");
            assertThatThrownBy(() -> cache.put("k", "one"))
                    .hasMessage("the value of 'foreign-size:k' is too large")
                    .hasRootCauseMessage("the value has 3 bytes, more than the maxPayloadBytes 2");
        }
    }
}
