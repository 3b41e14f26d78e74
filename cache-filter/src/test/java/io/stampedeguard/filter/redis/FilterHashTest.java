package io.stampedeguard.filter.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process whose hash of keys is not that of the filter's generation excludes no key, and adds none. */
class FilterHashTest extends FilterOnOneServer {
    private static final long ABSENT = -1;

    /** A row's number, as the keys of a cache often are. */
    record Row(long number) {}

    private static KeyHash<Long> withSecret(String secret) {
        KeyHash<String> text = KeyHash.standard();
        return key -> text.of(secret + key);
    }

    static Stream<KeyHash<Long>> otherHashes() {
        return Stream.of(withSecret("new"), key -> key * 0x9e3779b97f4a7c15L, KeyHash.ofText(key -> "order-" + key));
    }

    private RedisKeyFilter<Long> with(KeyHash<Long> hash) {
        return RedisKeyFilter.<Long>builder(name, otherStore)
                .expectedKeys(ROWS)
                .keyHash(hash)
                .build();
    }

    private Map<String, String> content() {
        Map<String, String> content = new HashMap<>();
        for (String key : admin.keys("*")) {
            content.put(
                    key,
                    key.endsWith("state")
                            ? admin.hgetAll(key).toString()
                            : Arrays.toString(admin.get(key.getBytes(UTF_8))));
        }
        return content;
    }

    @Test
    void keysOfAnotherTypeWithTheSameTextAreTheSameKeys() {
        filter.rebuild(FilterHashTest::rows);
        try (RedisKeyFilter<String> texts = RedisKeyFilter.<String>builder(name, otherStore)
                        .expectedKeys(ROWS)
                        .build();
                StampedeGuardedCache<String, String> orders =
                        textCache(name, otherStore).keyFilter(texts).build()) {
            assertThat(orders.get("7", id -> "the row")).isEqualTo("the row");
            assertThat(orders.getAll(List.of("8", "9"), ids -> Map.of("8", "eight", "9", "nine")))
                    .hasSize(2);
            assertThat(texts.definitelyAbsent(List.of("1", "1000", "-1", "x"))).containsExactly("-1", "x");

            texts.add("-1");
            assertThat(filter.mightContain(-1L)).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("otherHashes")
    void processWithAnotherHashExcludesNoKey(KeyHash<Long> hash) {
        filter.rebuild(FilterHashTest::rows);
        List<Long> asked = LongStream.rangeClosed(ABSENT, 100).boxed().toList();
        try (RedisKeyFilter<Long> after = with(hash);
                StampedeGuardedCache<Long, String> orders = StampedeGuardedCache.<Long, String>builder(name)
                        .store(otherStore)
                        .codec(StringCodec.of())
                        .keyFilter(after)
                        .build()) {
            assertThat(after.definitelyAbsent(asked)).isEmpty();
            assertThat(asked).allMatch(after::mightContain);
            for (long id = 1; id <= 20; id++) {
                assertThat(orders.get(id, key -> "row " + key)).isEqualTo("row " + id);
            }
            Set<Long> more = Set.of(31L, 32L, 33L);
            assertThat(orders.getAll(more, ids -> {
                        Map<Long, String> rows = new HashMap<>();
                        ids.forEach(id -> rows.put(id, "row"));
                        return rows;
                    }))
                    .containsOnlyKeys(more);
            assertThat(after.state().inForce()).isFalse();
        }
        assertThat(other.definitelyAbsent(List.of(1L, ABSENT)))
                .as("the filter's own hash")
                .containsExactly(ABSENT);
    }

    @ParameterizedTest
    @MethodSource("otherHashes")
    void announcementOfAnotherHashChangesNoGeneration(KeyHash<Long> hash) {
        filter.rebuild(FilterHashTest::rows);
        try (RedisKeyFilter<Long> after = with(hash);
                StampedeGuardedCache<Long, String> orders = StampedeGuardedCache.<Long, String>builder(name)
                        .store(otherStore)
                        .codec(StringCodec.of())
                        .keyFilter(after)
                        .build()) {
            Map<String, String> before = content();

            for (long id = 2_001; id <= 2_100; id++) {
                after.add(id);
                after.observed(id);
            }
            assertThat(content()).isEqualTo(before);

            orders.keyCreated(3_001L);
            orders.put(3_002L, "put");
            assertThat(orders.get(3_002L, id -> "loaded")).isEqualTo("put");
            Map<String, String> after3 = content();
            after3.keySet().retainAll(before.keySet());
            assertThat(after3).isEqualTo(before);
        }
        assertThat(other.mightContain(ABSENT)).isFalse();
    }

    @Test
    void announcementOfAnotherHashDoesNotEnterARebuildThatIsRunning() {
        try (RedisKeyFilter<Long> after = with(withSecret("new"))) {
            filter.rebuild(() -> {
                Map<String, String> before = content();
                after.add(1L);
                filter.add(2_001L);
                List<String> changed = new ArrayList<>();
                content().forEach((key, value) -> {
                    if (!value.equals(before.get(key))) {
                        changed.add(key);
                    }
                });
                assertThat(changed).as("by the filter's own announcement").hasSize(1);
                return rows();
            });
        }
        assertThat(other.definitelyAbsent(List.of(1L, 2_001L, ABSENT))).containsExactly(ABSENT);
    }

    @Test
    void anotherHashIsWarnedOfOnce() {
        filter.rebuild(FilterHashTest::rows);

        LogLines log = LogLines.of(() -> {
            try (RedisKeyFilter<Long> after = with(withSecret("new"))) {
                for (long id = 1; id <= 50; id++) {
                    after.add(id);
                    after.mightContain(id);
                    after.definitelyAbsent(List.of(id, -id));
                }
                LogLines.await("was built by another hash of keys");
            }
        });

        assertThat(log.only("WARN")).contains("'" + name + "' was built by another hash of keys");
    }

    @Test
    void rebuildByAnotherHashLetsAllKeysPassUnderTheFormer() {
        filter.rebuild(FilterHashTest::rows);
        assertThat(other.mightContain(ABSENT)).isFalse();
        try (RedisKeyFilter<Long> after = with(withSecret("new"))) {
            after.rebuild(FilterHashTest::rows);

            assertThat(after.definitelyAbsent(List.of(1L, ABSENT))).containsExactly(ABSENT);
            assertThat(rows().toList()).allMatch(other::mightContain);
            assertThat(other.definitelyAbsent(rows().toList())).isEmpty();
            assertThat(other.mightContain(ABSENT)).isTrue();

            filter.rebuild(FilterHashTest::rows);
            Fleet.until(() -> !other.mightContain(ABSENT));
            assertThat(after.mightContain(ABSENT)).isTrue();
        }
    }

    /** Such a generation does not say by which hash it was made. */
    @Test
    void generationsOfEarlierVersionsLetAllKeysPassUntilARebuild() {
        filter.rebuild(FilterHashTest::rows);
        for (String state : admin.keys("*:state")) {
            String id = admin.hget(state, "gen");
            admin.hset(state, "gen", id.substring(0, id.indexOf('/')));
        }
        try (RedisKeyFilter<Long> late = open(otherStore)) {
            assertThat(late.mightContain(ABSENT)).isTrue();
            assertThat(late.definitelyAbsent(List.of(1L, ABSENT))).isEmpty();

            filter.rebuild(FilterHashTest::rows);

            Fleet.until(() -> !late.mightContain(ABSENT));
            assertThat(late.mightContain(1L)).isTrue();
        }
    }

    @Test
    void hashOfOnesOwnTypeIsToldApartByItsName() {
        try (RedisKeyFilter<Row> one = named("sip-2026");
                RedisKeyFilter<Row> same = named("sip-2026");
                RedisKeyFilter<Row> renamed = named("sip-2027")) {
            one.rebuild(() -> Stream.of(new Row(1)));

            assertThat(same.definitelyAbsent(List.of(new Row(1), new Row(2)))).containsExactly(new Row(2));
            assertThat(renamed.definitelyAbsent(List.of(new Row(1), new Row(2))))
                    .isEmpty();
        }
        assertThatThrownBy(() -> named("a/b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hashIdentity 'a/b' of filter '" + name + "'");
    }

    /** Of these, a fingerprint by keys of the standard types says nothing, or not all. */
    static Stream<KeyHash<? super Row>> hashesOfOnesOwnType() {
        KeyHash<Object> anything = key -> key.toString().hashCode();
        return Stream.<KeyHash<? super Row>>of(
                row -> row.number() * 0x9e3779b97f4a7c15L,
                Row::number,
                KeyHash.<Row>ofText(row -> "row-" + row.number()),
                KeyHash.<Row>ofText(Row::toString),
                new HashOfRows(),
                anything,
                KeyHash.ofText(Object::toString));
    }

    private static final class HashOfRows implements KeyHash<Row> {
        @Override
        public long of(Row row) {
            return row.number();
        }
    }

    @ParameterizedTest
    @MethodSource("hashesOfOnesOwnType")
    void hashOfOnesOwnTypeNeedsAName(KeyHash<? super Row> hash) {
        RedisKeyFilterBuilder<Row> builder =
                RedisKeyFilter.<Row>builder(name, otherStore).expectedKeys(ROWS).keyHash(hash);

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hashIdentity(...)")
                .hasMessageContaining("for filter '" + name + "'")
                .hasMessageNotContaining("\n");

        builder.hashIdentity("rows-1").build().close();
    }

    /** Its keys are texts of one form, none of which is tried. */
    @Test
    void hashThatRejectsAllThatIsTriedNeedsAName() {
        RedisKeyFilterBuilder<String> builder = RedisKeyFilter.<String>builder(name, otherStore)
                .expectedKeys(ROWS)
                .keyHash(text -> UUID.fromString(text).getLeastSignificantBits());

        assertThatThrownBy(builder::build).hasMessageContaining("hashIdentity(...)");

        builder.hashIdentity("uuid-texts").build().close();
    }

    @Test
    void hashOfStandardTypesNeedsNoName() {
        List<KeyHash<Long>> standard = List.of(KeyHash.standard(), Long::longValue, KeyHash.ofText(Object::toString));

        Stream.concat(otherHashes(), standard.stream())
                .forEach(hash -> with(hash).close());
    }

    private RedisKeyFilter<Row> named(String identity) {
        return RedisKeyFilter.<Row>builder(name, otherStore)
                .expectedKeys(ROWS)
                .keyHash(row -> row.number() * 0x9e3779b97f4a7c15L)
                .hashIdentity(identity)
                .build();
    }
}
