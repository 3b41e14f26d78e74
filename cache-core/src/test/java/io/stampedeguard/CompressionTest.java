package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.TextCodec;
import io.stampedeguard.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;

/** A cache begins to compress its values while it is in use: processes that do not compress yet are beside others that do. */
final class CompressionTest {
    private static final String LONG = "a value of several words; ".repeat(40);
    private static final CachePolicy POLICY =
            CachePolicy.builder().softTtl(ofSeconds(60)).jitter(0).build();

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore store = InMemoryStore.create(time);
    private final RecordingListener listener = new RecordingListener();
    private final Origin origin = new Origin(LONG);

    private StampedeGuardedCache<String, String> cache(ValueCodec<String> codec) {
        return cache(codec, POLICY);
    }

    private StampedeGuardedCache<String, String> cache(ValueCodec<String> codec, CachePolicy policy) {
        return StampedeGuardedCache.<String, String>builder("mixed")
                .store(store)
                .codec(codec)
                .policy(policy)
                .listener(listener)
                .timeSource(time)
                .build();
    }

    private static ValueCodec<String> compressed() {
        return ValueCodec.compressed(StringCodec.of(), 100);
    }

    private Entry stored(String key) {
        return requireNonNull(Entry.decode(requireNonNull(on(store).read("mixed:" + key))));
    }

    @Test
    void eachFormReadsWhatEachFormHasStored() throws Exception {
        try (StampedeGuardedCache<String, String> one = cache(compressed());
                StampedeGuardedCache<String, String> other = cache(compressed())) {
            one.put("put", LONG);
            one.putAll(Map.of("all", LONG, "brief", "brief"));
            one.putAsync("async", LONG).join();
            one.get("loaded", origin::read);

            assertThat(other.getIfPresent("put")).isEqualTo(LONG);
            assertThat(other.get("loaded", origin::read)).isEqualTo(LONG);
            assertThat(other.getAsync("async", new AsyncOrigin(origin)::read).join())
                    .isEqualTo(LONG);
            assertThat(other.getAll(List.of("all", "brief"), keys -> Map.of()))
                    .isEqualTo(Map.of("all", LONG, "brief", "brief"));
            assertThat(origin.reads()).isEqualTo(1);
            assertThat(stored("put").payload().remaining()).isLessThan(LONG.length() / 5);
        }
    }

    @Test
    void entriesFromBeforeAreReadAndThenReplacedByCompressedOnes() {
        try (StampedeGuardedCache<String, String> before = cache(StringCodec.of());
                StampedeGuardedCache<String, String> now = cache(compressed())) {
            before.put("k", LONG);
            before.get("absent", key -> null);

            assertThat(now.get("k", origin::read)).isEqualTo(LONG);
            assertThat(now.getAll(List.of("k"), keys -> Map.of())).containsEntry("k", LONG);
            assertThat(now.get("absent", origin::read)).isNull();
            assertThat(origin.reads()).isZero();
            assertThat(stored("k").codec()).isEqualTo(StringCodec.of().identity());

            time.advance(ofSeconds(130));
            assertThat(now.get("k", origin::read)).isEqualTo(LONG);
            assertThat(stored("k").codec()).isEqualTo(compressed().identity());
        }
    }

    @Test
    void processThatDoesNotCompressTakesCompressedBytesForNoValue() {
        try (StampedeGuardedCache<String, String> before = cache(StringCodec.of());
                StampedeGuardedCache<String, String> now = cache(compressed())) {
            now.put("k", LONG);
            now.put("brief", "brief");
            now.get("absent", key -> null);

            assertThat(before.getIfPresent("k")).isNull();
            assertThat(before.getIfPresent("brief")).isNull();
            assertThat(before.lookup("absent").state()).isEqualTo(LookupResult.State.NOTHING);
            assertThat(before.getAll(List.of("k"), keys -> Map.of("k", "loaded")))
                    .containsEntry("k", "loaded");
            assertThat(now.getIfPresent("k")).isEqualTo(LONG);
            assertThat(before.faults(FaultSource.CODEC)).isZero();
        }
    }

    @Test
    void bothHalvesOfAFleetLoadAKeySeldomAndOverwriteNothing() {
        try (StampedeGuardedCache<String, String> before = cache(StringCodec.of());
                StampedeGuardedCache<String, String> now = cache(compressed())) {
            for (int turn = 0; turn < 500; turn++) {
                assertThat(now.get("k", origin::read)).isEqualTo(LONG);
                assertThat(before.get("k", origin::read)).isEqualTo(LONG);
                time.advance(ofMillis(10));
            }

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(1);
            assertThat(origin.reads()).as("of 1,000 gets in 5 s").isLessThanOrEqualTo(1 + 3);
        }
    }

    @Test
    void entriesOfAnEarlierVersionAreReplacedAtOnce() {
        try (StampedeGuardedCache<String, String> before = cache(new TextCodec("texts", 1));
                StampedeGuardedCache<String, String> now =
                        cache(ValueCodec.compressed(new TextCodec("texts", 2), 100))) {
            before.put("k", "of version 1");

            assertThat(now.get("k", origin::read)).isEqualTo(LONG);
            assertThat(now.get("k", origin::read)).isEqualTo(LONG);
            assertThat(origin.reads()).isEqualTo(1);
            assertThat(stored("k").codec()).isEqualTo(new CodecIdentity("lz4+texts", 2));
        }
    }

    @Test
    void damagedPayloadIsAMissAndAFaultOfTheCodec() {
        try (StampedeGuardedCache<String, String> cache = cache(compressed())) {
            cache.put("k", LONG);
            Entry good = stored("k");
            byte[] bomb = HexFormat.of().parseHex("017fffffff1f00");
            Entry bad = new Entry(
                    good.token(),
                    false,
                    good.createdMillis(),
                    good.softExpiryMillis(),
                    good.hardExpiryMillis(),
                    0,
                    good.codec(),
                    ByteBuffer.wrap(bomb),
                    0,
                    List.of());
            on(store).put("mixed:k", bad.encode(), ofSeconds(60));

            assertThat(cache.get("k", key -> "loaded")).isEqualTo("loaded");
            assertThat(cache.faults(FaultSource.CODEC)).isPositive();
        }
    }

    @Test
    void otherOrderOfASetIsNoOtherValue() {
        Set<String> words = new LinkedHashSet<>();
        for (int word = 99; word >= 0; word--) {
            words.add("word " + word);
        }
        try (StampedeGuardedCache<String, Set<String>> cache = StampedeGuardedCache.<String, Set<String>>builder("sets")
                .store(store)
                .codec(ValueCodec.compressed(JsonCodec.of(new TypeReference<Set<String>>() {}), 100))
                .listener(listener)
                .build()) {
            cache.get("k", key -> words);

            assertThat(cache.getIfPresent("k")).isEqualTo(words);
            assertThat(listener.count(EventType.ADVICE_VALUE_CHANGED_BY_CODEC)).isZero();
        }
    }

    @Test
    void boundOfANearCacheCountsBytesBeforeCompression() {
        try (StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("mixed")
                .store(store)
                .codec(compressed())
                .policy(POLICY)
                .nearCache(NearCacheOptions.builder().maximumBytes(1_000).build())
                .listener(listener)
                .timeSource(time)
                .build()) {
            cache.get("long", origin::read);
            cache.get("brief", key -> "brief");

            until(() -> {
                long before = listener.count(AnswerSource.NEAR);
                cache.get("long", origin::read);
                return listener.count(AnswerSource.NEAR) == before;
            });
            cache.get("brief", key -> "brief");
            assertThat(listener.events()).last().isEqualTo(AnswerSource.NEAR);
        }
    }

    @Test
    void limitOfAPayloadCountsCompressedBytes() {
        CachePolicy small = POLICY.toBuilder().maxPayloadBytes(200).build();
        try (StampedeGuardedCache<String, String> plain = cache(StringCodec.of(), small);
                StampedeGuardedCache<String, String> cache = cache(compressed(), small)) {
            plain.get("plain", origin::read);
            assertThat(plain.faults(FaultSource.SIZE)).isEqualTo(1);

            cache.get("k", origin::read);
            assertThat(cache.faults(FaultSource.SIZE)).isZero();
            assertThat(cache.getIfPresent("k")).isEqualTo(LONG);
        }
    }
}
