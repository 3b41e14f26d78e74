package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The filter of a fleet, on a healthy server. */
class RedisKeyFilterTest extends FilterOnOneServer {
    @Test
    void keysAndSizesAreAsToldToOperators() {
        filter.rebuild(RedisKeyFilterTest::rows);

        assertThat(admin.keys("*")).hasSize(64);
        assertThat(admin.hgetAll("{" + name + ":filter:31}:state"))
                .containsOnlyKeys("gen", "in", "bpp", "k", "keys", "rate", "run", "rank")
                .containsEntry("in", "a")
                .containsEntry("keys", "1000")
                .containsEntry("rate", "0.01");
        assertThat(admin.ttl("{" + name + ":filter:00}:a")).as("for ever").isEqualTo(-1);
        assertThat(admin.ttl("{" + name + ":filter:00}:state")).isEqualTo(-1);
        filter.rebuild(RedisKeyFilterTest::rows);
        assertThat(admin.keys("*:a")).isEmpty();
        assertThat(admin.keys("*:b")).hasSize(32);
    }

    @Test
    void prefixOfTheStoreStandsBeforeEachKey() {
        RedisStoreOptions options =
                SharedRedis.PATIENT.toBuilder().keyPrefix("shop:").build();
        try (RedisStore prefixed = RedisStore.connect(server.uri(), options);
                RedisKeyFilter<Long> there = open(prefixed)) {
            there.rebuild(RedisKeyFilterTest::rows);

            assertThat(admin.keys("*"))
                    .hasSize(64)
                    .allSatisfy(key -> assertThat(key).startsWith("shop:{" + name + ":filter:"));
        }
    }

    @Test
    void whatOneProcessAddsOrRebuildsIsThereForTheOthers() {
        filter.rebuild(RedisKeyFilterTest::rows);

        assertThat(other.definitelyAbsent(rows().toList())).isEmpty();
        assertThat(other.mightContain(-1L)).isFalse();
        filter.add(-1L);
        assertThat(other.mightContain(-1L)).isTrue();

        filter.rebuild(() -> Stream.of(7L));
        assertThat(other.mightContain(7L)).isTrue();
        assertThat(other.mightContain(-2L))
                .as("by which it learns of the rebuild")
                .isFalse();
        Fleet.until(() -> other.state().estimatedKeys() == 1);
        assertThat(other.definitelyAbsent(List.of(1L, 7L, -1L))).containsExactly(1L, -1L);
    }

    @Test
    void maybeOfTheCopyIsNoCommandAndNoIsOneScript() {
        filter.rebuild(RedisKeyFilterTest::rows);
        assertThat(filter.mightContain(-1L)).isFalse();

        assertThat(commandsOf(() -> filter.mightContain(1L))).isEmpty();
        assertThat(commandsOf(() -> filter.observed(1L))).isEmpty();
        assertThat(commandsOf(() -> filter.mightContain(-1L)))
                .containsOnly(Map.entry("evalsha", 1L), Map.entry("hmget", 1L), Map.entry("getrange", 1L));
    }

    @Test
    void addIsOneScriptAndTwiceTheBitsDuringARebuild() {
        filter.rebuild(RedisKeyFilterTest::rows);
        filter.add(1L);

        assertThat(commandsOf(() -> filter.add(1L)))
                .containsOnly(
                        Map.entry("evalsha", 1L),
                        Map.entry("hmget", 1L),
                        Map.entry("exists", 1L),
                        Map.entry("bitfield", 1L));
        filter.rebuild(() -> {
            assertThat(commandsOf(() -> filter.add(1L))).containsEntry("bitfield", 2L);
            return rows();
        });
    }

    @Test
    void manyLooksAreOneRoundTripForKeysBeyondTheCopy() {
        filter.rebuild(RedisKeyFilterTest::rows);
        List<Long> asked = new ArrayList<>(rows().toList());
        asked.addAll(List.of(-1L, -2L, -3L));

        Map<String, Long> commands =
                commandsOf(() -> assertThat(filter.definitelyAbsent(asked)).hasSizeBetween(2, 3));

        assertThat(commands).containsEntry("evalsha", 3L).containsEntry("getrange", 3L);
    }

    @Test
    void copyOfALateComerIsLoadedAndThenAnswersByItself() {
        filter.rebuild(RedisKeyFilterTest::rows);
        try (RedisKeyFilter<Long> late = open(store)) {
            Fleet.until(() -> late.state().estimatedKeys() == filter.state().estimatedKeys());

            assertThat(late.state().inForce()).isTrue();
            assertThat(commandsOf(() -> rows().forEach(late::mightContain))).isEmpty();
        }
    }

    @Test
    void whatIsLearntFromALookIsNotAskedTwice() {
        filter.rebuild(RedisKeyFilterTest::rows);
        // All rows: a copy loaded in the middle of the rebuild is loaded again at a lookup of a key that it lacks.
        Fleet.until(() -> rows().allMatch(other::mightContain) && other.state().estimatedKeys() > 0);
        filter.add(-1L);

        assertThat(other.mightContain(-1L)).isTrue();
        // A load that a lookup above has requested may still be under way; a lookup that asks each time never ends
        // this.
        Fleet.until(() -> commandsOf(() -> other.mightContain(-1L)).isEmpty());
    }

    @Test
    void listenerIsToldOfForceGrowthAndProgress() {
        filter.rebuild(() -> rows().limit(ROWS / 2));
        assertThat(ear.states()).singleElement().satisfies(state -> {
            assertThat(state.inForce()).isTrue();
            assertThat(state.estimatedKeys()).isBetween(ROWS * 9 / 20L, ROWS * 11 / 20L);
        });
        assertThat(ear.rebuilds()).endsWith(ROWS / 2L);

        LogLines log = LogLines.of(
                () -> LongStream.rangeClosed(ROWS / 2, 2 * ROWS).boxed().forEach(filter::add));

        assertThat(ear.states()).hasSizeBetween(13, 17);
        assertThat(ear.states()).last().matches(FilterState::isSaturated);
        assertThat(log.only("WARN")).contains("'" + name + "'", "was sized for 1000", "rebuild it with");
    }

    @Test
    void listenerThatThrowsHarmsNothing() {
        ear.throwsFromNowOn();

        filter.rebuild(RedisKeyFilterTest::rows);

        assertThat(filter.mightContain(1L)).isTrue();
        assertThat(filter.mightContain(-1L)).isFalse();
    }

    @Test
    void hashIsOnesOwnIfSoWanted() {
        try (RedisKeyFilter<String> folded = RedisKeyFilter.<String>builder(name + ".2", store)
                .expectedKeys(10)
                .keyHash(KeyHash.ofText(text -> text.toLowerCase(Locale.ROOT)))
                .build()) {
            folded.rebuild(Stream.of("Alpha", "BETA"));

            assertThat(folded.definitelyAbsent(List.of("ALPHA", "beta", "gamma")))
                    .containsExactly("gamma");
        }
    }

    @Test
    void wrongNumbersAreRefusedByName() {
        assertThatThrownBy(() -> RedisKeyFilter.builder("products", store).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedKeys 0")
                .hasMessageContaining("'products'");
        assertThatThrownBy(() -> RedisKeyFilter.builder("{products}", store).build())
                .hasMessageContaining("'{products}'");
    }

    @Test
    void scriptFindsTheBlockThatJavaFinds() {
        filter.rebuild(Stream::empty);
        int blocks = Integer.parseInt(admin.hget("{" + name + ":filter:00}:state", "bpp"));
        KeyHash<Long> hash = KeyHash.standard();
        for (long key = 1; key <= 200; key++) {
            filter.add(key);
            long bits = hash.of(key);
            String bitmap = "{%s:filter:%02d}:a".formatted(name, BlockedBloom.partition(bits));
            int block = BlockedBloom.block(bits, 32 * blocks) % blocks;
            byte[] bytes = admin.getrange(bitmap.getBytes(), block * 64L, block * 64L + 63);
            assertThat(BlockedBloom.mightContain(bytes, bits, 14)).isFalse();
            assertThat(BlockedBloom.mightContain(bytes, bits, bitsPerKey())).isTrue();
        }
    }

    private int bitsPerKey() {
        return Integer.parseInt(admin.hget("{" + name + ":filter:00}:state", "k"));
    }

    /** What the server executed, without its own notifications. */
    private static Map<String, Long> commandsOf(Runnable action) {
        RedisCommands before = RedisCommands.parse(admin.info("commandstats"));
        action.run();
        Map<String, Long> calls =
                new TreeMap<>(RedisCommands.parse(admin.info("commandstats")).calls());
        before.calls().forEach((command, count) -> calls.merge(command, -count, Long::sum));
        calls.values().removeIf(count -> count == 0);
        calls.remove("info");
        return calls;
    }
}
