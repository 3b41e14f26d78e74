package io.stampedeguard.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerModule;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The peers of a module do what the workloads need, on a real Redis. */
class PeersTest {
    private static RedisProcess redis;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.startProcess();
    }

    @AfterAll
    static void end() {
        redis.close();
    }

    private static List<PeerKind> peers() {
        return ServiceLoader.load(PeerModule.class).findFirst().orElseThrow().peers();
    }

    private static List<PeerKind> caches() {
        return peers().stream().filter(PeerKind::isCache).toList();
    }

    @Test
    void theModuleHasThePeersThatItIsKnownFor() {
        String module = Path.of("").toAbsolutePath().getFileName().toString();

        assertThat(peers()).extracting(PeerKind::name).containsExactlyElementsOf(Peers.namesFor(module).toList());
        assertThat(Peers.ALL).extracting(PeerKind::name).containsAll(Peers.namesFor(module).toList());
    }

    /** Some peers still have the old value when a removal or a clear returns: Spring Data Redis does not wait for Redis. */
    private static @Nullable String afterChange(Peer peer, String key, String old, Peer.Load load) throws Exception {
        String value = old;
        while (old.equals(value)) {
            value = peer.get(key, load);
        }
        return value;
    }

    @ParameterizedTest
    @MethodSource("peers")
    void aValueIsLoadedOnceAndAgainAfterItsRemoval(PeerKind kind) throws Exception {
        String key = kind.name() + "-key";
        AtomicInteger loads = new AtomicInteger();
        try (Peer peer = kind.open(redis.uri(), PeerOptions.usual());
                Peer other = kind.open(redis.uri(), PeerOptions.connections(1))) {
            assertThat(peer.get(key, absent -> "value " + loads.incrementAndGet())).isEqualTo("value 1");
            assertThat(peer.get(key, absent -> "another")).isEqualTo("value 1");
            assertThat(other.get(key, absent -> "another")).isEqualTo(kind.shared() ? "value 1" : "another");

            peer.remove(key);
            assertThat(afterChange(peer, key, "value 1", absent -> "value " + loads.incrementAndGet())).isEqualTo("value 2");
        }
    }

    /** A peer that cannot clear its cache says so. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("caches")
    void aValueIsLoadedAgainAfterAClear(PeerKind kind) throws Exception {
        String key = kind.name() + "-cleared";
        try (Peer peer = kind.open(redis.uri(), PeerOptions.usual())) {
            assertThat(peer.get(key, absent -> "value 1")).isEqualTo("value 1");
            peer.clear();
            assertThat(afterChange(peer, key, "value 1", absent -> "value 2")).isEqualTo("value 2");
        } catch (UnsupportedOperationException e) {
            assertThat(e).hasMessageContaining("clear");
        }
    }

    private static List<PeerKind> ours() {
        return peers().stream()
                .filter(kind -> kind.name().contains("guarded") && kind.readsRedis())
                .toList();
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("ours")
    void removalsAndClearsOfThisLibraryHaveHappenedWhenTheyReturn(PeerKind kind) throws Exception {
        String key = kind.name() + "-changed";
        try (Peer peer = kind.open(redis.uri(), PeerOptions.usual().patiently());
                Peer other = kind.open(redis.uri(), PeerOptions.usual().patiently())) {
            for (int i = 0; i < 20; i++) {
                String row = "row " + i;
                if (i % 2 == 0) {
                    peer.remove(key);
                } else {
                    peer.clear();
                }
                assertThat(peer.get(key, absent -> row)).isEqualTo(row);
                assertThat(other.get(key, absent -> "another")).isEqualTo(row);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("peers")
    void manyValuesAreLoadedOnce(PeerKind kind) throws Exception {
        List<String> keys = List.of(kind.name() + "-1", kind.name() + "-2");
        List<String> values = keys.stream().map(key -> "value of " + key).toList();
        try (Peer peer = kind.open(redis.uri(), PeerOptions.usual())) {
            assertThat(peer.getAll(keys, key -> "value of " + key)).containsExactlyInAnyOrderElementsOf(values);
            assertThat(peer.getAll(keys, key -> "another")).containsExactlyInAnyOrderElementsOf(values);
        }
    }

    /** A peer that knows no TTL says so; a bare client stores values for ever. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("caches")
    void aValueIsLoadedAgainAfterItsTtl(PeerKind kind) throws Exception {
        String key = kind.name() + "-expiring";
        AtomicInteger loads = new AtomicInteger();
        try (Peer peer = kind.open(redis.uri(), PeerOptions.ttl(Duration.ofSeconds(1)))) {
            String value = "value 1";
            while ("value 1".equals(value)) {
                value = peer.get(key, absent -> "value " + loads.incrementAndGet());
            }
            assertThat(loads).hasValueGreaterThanOrEqualTo(2);
        } catch (UnsupportedOperationException e) {
            assertThat(e).hasMessageContaining("TTL");
        }
    }

    @ParameterizedTest
    @MethodSource("peers")
    void aNonexistentKeyHasNoValue(PeerKind kind) throws Exception {
        String key = kind.name() + "-none";
        try (Peer peer = kind.open(redis.uri(), PeerOptions.usual())) {
            assertThat(peer.get(key, absent -> null)).isNull();
            assertThat(peer.get(key, absent -> null)).isNull();
        }
    }
}
