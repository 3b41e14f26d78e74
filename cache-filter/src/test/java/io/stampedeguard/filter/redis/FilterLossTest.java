package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.Jedis;

/** Redis has lost the filter, or part of it: protection may shrink, but no row may vanish. */
@Order(2)
@Execution(ExecutionMode.CONCURRENT) // each test has its own servers, and waits for them
class FilterLossTest {
    private static final int ROWS = 1_000;
    private static final KeyHash<Long> HASH = KeyHash.standard();

    private final RedisProcess server = RedisServer.startProcess("--appendonly", "yes");
    private final Jedis admin = PlainRedis.admin(server.host(), server.port());
    private final RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
    private final FilterEar ear = new FilterEar();
    private final RedisKeyFilter<Long> filter = open(store);

    private RedisKeyFilter<Long> open(RedisStore on) {
        return RedisKeyFilter.<Long>builder("lost", on)
                .expectedKeys(ROWS)
                .listener(ear)
                .build();
    }

    @AfterEach
    void stop() {
        filter.close();
        store.close();
        admin.close();
        server.close();
    }

    private static Stream<Long> rows() {
        return LongStream.rangeClosed(1, ROWS).boxed();
    }

    /** Nonexistent keys; nearly all of them must be found absent. */
    private static List<Long> nonexistent() {
        return LongStream.rangeClosed(1, ROWS).mapToObj(row -> -row).toList();
    }

    private static int partition(long row) {
        return BlockedBloom.partition(HASH.of(row));
    }

    private static String redisKey(int partition, String part) {
        return "{lost:filter:%02d}:%s".formatted(partition, part);
    }

    /** Looks up each by itself, and then all together. */
    private int absent() {
        List<Long> absent =
                nonexistent().stream().filter(row -> !filter.mightContain(row)).toList();
        assertThat(filter.definitelyAbsent(nonexistent())).isEqualTo(absent);
        return absent.size();
    }

    @Test
    void afterAFlushAllMayBeThereUntilItIsRebuilt() {
        filter.rebuild(FilterLossTest::rows);
        assertThat(absent()).isPositive();

        LogLines log = LogLines.of(() -> {
            admin.flushAll();
            assertThat(absent()).isZero();
        });
        assertThat(log.only(""))
                .contains("WARN", "filter 'lost' is lost at 127.0.0.1:" + server.port(), "until the filter is rebuilt");
        assertThat(ear.states()).hasSize(2).last().matches(state -> !state.inForce());
        filter.add(-1L);
        assertThat(admin.keys("*")).as("no rubbish").isEmpty();

        filter.rebuild(FilterLossTest::rows);
        assertThat(absent()).isPositive();
        assertThat(ear.states()).hasSize(3).last().matches(state -> state.inForce());
    }

    @Test
    void whoeverRebuildsItAfterAFlushTheOthersNotice() {
        filter.rebuild(FilterLossTest::rows);
        admin.flushAll();
        assertThat(absent()).isZero();
        try (RedisKeyFilter<Long> other = open(store)) {
            other.rebuild(FilterLossTest::rows);
        }
        assertThat(absent()).isPositive();
        Fleet.until(() -> filter.state().inForce() && filter.state().estimatedKeys() > 0);
        assertThat(filter.definitelyAbsent(rows().toList())).isEmpty();
    }

    @Test
    void evictedBitmapCostsItsPartitionAloneAndNoAddRecreatesIt() {
        filter.rebuild(FilterLossTest::rows);
        List<Long> nonexistent = nonexistent();
        int victim = partition(-1L);
        admin.del(redisKey(victim, "a"));

        List<Long> absent = filter.definitelyAbsent(nonexistent);
        assertThat(absent).hasSizeGreaterThan(ROWS * 8 / 10).noneMatch(row -> partition(row) == victim);
        assertThat(filter.state().inForce()).isFalse();

        filter.add(-1L);
        assertThat(admin.exists(redisKey(victim, "a"))).isFalse();
        assertThat(filter.definitelyAbsent(nonexistent)).noneMatch(row -> partition(row) == victim);
        try (RedisKeyFilter<Long> other = open(store)) {
            assertThat(other.definitelyAbsent(rows().toList())).isEmpty();
        }
    }

    @Test
    void evictedStateCostsItsPartitionAlone() {
        filter.rebuild(FilterLossTest::rows);
        int victim = partition(-1L);
        admin.del(redisKey(victim, "state"));

        assertThat(filter.definitelyAbsent(nonexistent()))
                .hasSizeGreaterThan(ROWS * 8 / 10)
                .noneMatch(row -> partition(row) == victim);
        filter.add(-1L);
        assertThat(admin.exists(redisKey(victim, "state"))).isFalse();

        filter.rebuild(FilterLossTest::rows);
        assertThat(filter.definitelyAbsent(nonexistent())).anyMatch(row -> partition(row) == victim);
        assertThat(admin.keys("*")).as("no rubbish").hasSize(64);
    }

    @Test
    void evictionDuringARebuildLeavesTheOldOneInForce() {
        filter.rebuild(FilterLossTest::rows);
        int victim = partition(5_000L);

        assertThatThrownBy(() -> filter.rebuild(() -> {
                    admin.del(redisKey(victim, "b"));
                    filter.add(5_000L); // which must not recreate it
                    return rows();
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("Redis has lost the data of this one");

        assertThat(filter.definitelyAbsent(rows().toList())).isEmpty();
        assertThat(filter.mightContain(5_000L)).isTrue();
        assertThat(absent()).isPositive();
    }

    @Test
    void rebuildThatBreaksOffLeavesWholePartitionsOfTwoSizes() {
        filter.rebuild(FilterLossTest::rows);
        try (RedisKeyFilter<Long> larger = RedisKeyFilter.<Long>builder("lost", store)
                .expectedKeys(20 * ROWS)
                .falsePositiveRate(0.001)
                .build()) {
            assertThatThrownBy(() -> larger.rebuild(() -> {
                        admin.del(redisKey(20, "b"));
                        return rows();
                    }))
                    .isInstanceOf(StoreException.class);
        }
        assertThat(admin.hget(redisKey(19, "state"), "in")).isEqualTo("b");
        assertThat(admin.hget(redisKey(20, "state"), "in")).isEqualTo("a");
        try (RedisKeyFilter<Long> other = open(store)) {
            other.add(5_000L);
            for (RedisKeyFilter<Long> each : List.of(filter, other)) {
                Fleet.until(() ->
                        each.definitelyAbsent(nonexistent()).size() > ROWS * 9 / 10); // once it has all partitions
                assertThat(each.definitelyAbsent(rows().toList())).isEmpty();
                assertThat(each.mightContain(5_000L)).isTrue();
            }
        }
    }

    @Test
    void whatIsFlushedDuringARebuildLetsItFail() {
        assertThatThrownBy(() -> filter.rebuild(() -> {
                    admin.flushAll();
                    return rows();
                }))
                .isInstanceOf(StoreException.class);
        assertThat(absent()).isZero();
    }

    /** With its append-only file it has everything that it ever confirmed, except for the last second. */
    @Test
    void restartedServerMayHaveLostKeysThoughItHasMost() {
        filter.rebuild(FilterLossTest::rows);
        admin.configSet("appendfsync", "always");
        server.restart();
        try (Jedis again = PlainRedis.admin(server.host(), server.port())) {
            assertThat(again.keys("*")).as("all is still there").hasSize(64);

            assertThat(absent()).isZero();
            filter.rebuild(FilterLossTest::rows);
            assertThat(absent()).isPositive();
            assertThat(again.keys("*")).hasSize(64);
        }
    }

    @Test
    void whoOnlyAnnouncesNoticesThatSomebodyElseHasRebuiltIt() {
        filter.rebuild(FilterLossTest::rows);
        admin.flushAll();
        assertThat(absent()).isZero();
        try (RedisKeyFilter<Long> other = open(store)) {
            other.rebuild(FilterLossTest::rows);
        }

        filter.add(ROWS + 1L);

        Fleet.until(() -> filter.state().inForce() && filter.state().estimatedKeys() > 0);
    }

    @Test
    void keysThatARestartedServerTakesDoNotMakeItComplete() {
        filter.rebuild(FilterLossTest::rows);
        server.restart();
        assertThat(absent()).isZero();

        filter.close(); // nothing is loaded in the background, which would notify it again
        LogLines log = LogLines.of(() -> {
            LongStream.rangeClosed(ROWS + 1, 2 * ROWS).forEach(filter::add);
            assertThat(filter.state().inForce()).isFalse();
            assertThat(absent()).isZero();
        });
        assertThat(log.lines()).as("it was told before").isEmpty();
    }

    @Test
    void streamIsClosedThoughTheRebuildCannotBegin() {
        AtomicBoolean closed = new AtomicBoolean();
        server.kill();

        assertThatThrownBy(() -> filter.rebuild(rows().onClose(() -> closed.set(true))))
                .isInstanceOf(StoreException.class);
        assertThat(closed).isTrue();
    }

    @Test
    void serverThatIsRestartedDuringARebuildLetsItFail() {
        assertThatThrownBy(() -> filter.rebuild(() -> {
                    server.restart();
                    return rows();
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the server was restarted or replaced meanwhile");
        assertThat(absent()).isZero();
    }

    @Test
    void killedServerCostsOneFailureASecondAndCopiesSayMaybe() {
        filter.rebuild(FilterLossTest::rows);
        server.kill();

        assertThat(rows()).allMatch(filter::mightContain);
        assertOneFailureASecondAndMaybe(filter);
        assertThatThrownBy(() -> filter.add(-1L)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> filter.rebuild(FilterLossTest::rows)).isInstanceOf(StoreException.class);
    }

    @Test
    void serverThatStallsCostsOneTimeout() {
        try (RedisStore impatient = impatient();
                RedisKeyFilter<Long> other = open(impatient)) {
            other.rebuild(FilterLossTest::rows);
            long nonexistent = other.definitelyAbsent(nonexistent()).get(0);
            server.pause();
            try {
                assertOneFailureASecondAndMaybe(other);
            } finally {
                server.resume();
            }
            Fleet.until(() -> !mightContain(other, nonexistent));
        }
    }

    /** Its timeout is waited for, but no working server takes so long. */
    private RedisStore impatient() {
        return RedisStore.connect(
                server.uri(),
                SharedRedis.PATIENT.toBuilder()
                        .commandTimeout(Duration.ofSeconds(6))
                        .build());
    }

    private static void assertOneFailureASecondAndMaybe(RedisKeyFilter<Long> filter) {
        long began = System.nanoTime();
        assertThatThrownBy(() -> filter.definitelyAbsent(nonexistent()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("filter 'lost'");
        assertThat(nonexistent().stream().filter(row -> !isMaybe(filter, row)).count())
                .as("further failures")
                .isLessThanOrEqualTo(secondsSince(began));
    }

    /** Returns whether every lookup of a key was answered, and none declared it absent. */
    private static boolean isMaybe(RedisKeyFilter<Long> filter, long row) {
        try {
            assertThat(filter.mightContain(row)).isTrue();
            assertThat(filter.definitelyAbsent(List.of(row))).isEmpty();
            filter.observed(row);
            return true;
        } catch (StoreException unanswered) {
            return false;
        }
    }

    private static long secondsSince(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - nanos);
    }

    /** A cache adds the keys that a bulk load has found one by one. */
    @Test
    void keysThatWereFoundCostOneTimeoutWhileTheServerStalls() {
        filter.rebuild(FilterLossTest::rows);
        try (RedisStore impatient = impatient();
                RedisKeyFilter<Long> other = open(impatient)) {
            List<Long> found = other.definitelyAbsent(nonexistent()).subList(0, 100);
            server.pause();
            try {
                long began = System.nanoTime();
                assertThat(found.stream().filter(row -> !isNoted(other, row)).count())
                        .isBetween(1L, 1 + secondsSince(began));
                assertThatThrownBy(() -> other.add(found.get(0)))
                        .as("an announcement is never left out")
                        .isInstanceOf(StoreException.class);
            } finally {
                server.resume();
            }
            Fleet.until(() -> isNoted(other, found.get(99)) && other.mightContain(found.get(99)));
        }
    }

    private static boolean isNoted(RedisKeyFilter<Long> filter, long row) {
        try {
            filter.observed(row);
            return true;
        } catch (StoreException unanswered) {
            return false;
        }
    }

    @Test
    void fullServerThatDoesNotTakeWhatWasFoundStillSaysNo() {
        filter.rebuild(FilterLossTest::rows);
        long nonexistent = filter.definitelyAbsent(nonexistent()).get(0);
        admin.configSet("maxmemory", "1");

        assertThatThrownBy(() -> filter.observed(nonexistent)).hasMessageContaining("OOM");
        assertThat(filter.mightContain(nonexistent)).isFalse();
    }

    /** As the cache treats it. */
    private static boolean mightContain(RedisKeyFilter<Long> filter, long row) {
        try {
            return filter.mightContain(row);
        } catch (StoreException unknown) {
            return true;
        }
    }

    @Test
    void fullServerRefusesAddsAndRebuildsAndKeepsTheOldFilter() {
        filter.rebuild(FilterLossTest::rows);
        long nonexistent = filter.definitelyAbsent(nonexistent()).get(0);
        admin.configSet("maxmemory", "1");

        assertThatThrownBy(() -> filter.add(nonexistent))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("OOM");
        assertThatThrownBy(() -> filter.rebuild(() -> rows().limit(1))).hasMessageContaining("OOM");
        assertThatThrownBy(() -> filter.rebuild(() -> {
                    admin.configSet("maxmemory", "1");
                    return rows().limit(1);
                }))
                .hasMessageContaining("OOM");

        assertThat(filter.definitelyAbsent(rows().toList())).isEmpty();
        assertThat(filter.mightContain(nonexistent)).isFalse();
        admin.configSet("maxmemory", "0");
        filter.rebuild(() -> rows().limit(1));
        assertThat(filter.mightContain(nonexistent)).isFalse();
    }
}
