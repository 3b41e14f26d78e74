package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.topology.RedisSentinels;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P2 while Redis restarts, or fails over. Where that loses the latest changes, it is about clears and tags alone: nobody who knew of
 * one, because it was the caller's own or because of a later read, is answered with anything older.
 */
@Order(8)
@Tag("proof")
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class OutageHistoryTest {
    private static final int OPERATIONS = 20_000;

    @TempDir
    private Path directory;

    private HistoryRun run(Trouble trouble, MemberCommand member, HistoryRedis redis, Path files) throws Exception {
        HistoryRun history = HistoryRun.of(OPERATIONS, NearCaches.NONE, trouble, member, redis, files);
        history.assertOutagesWorthTheirTime(OPERATIONS);
        return history;
    }

    private void assertNothingOlder(Trouble trouble, HistoryRedis redis) throws Exception {
        HistoryRun history = run(trouble, HistoryTest.MEMBER, redis, directory);

        assertThat(history.violations()).as("%s", history).isEmpty();
    }

    @Test
    void noGetSeesAnOlderVersionThoughRedisRestartsWithItsData() throws Exception {
        try (RedisProcess redis = RedisServer.startProcess("--appendonly", "yes")) {
            assertNothingOlder(Trouble.RESTARTS, new HistoryRedis.Restarting(redis, false));
        }
    }

    @Test
    void noGetSeesAnOlderVersionThoughRedisRestartsEmpty() throws Exception {
        try (RedisProcess redis = RedisServer.startProcess()) {
            assertNothingOlder(Trouble.RESTARTS, new HistoryRedis.Restarting(redis, false));
        }
    }

    @Test
    void snapshotFromBeforeAClearAnswersNobodyWhoKnowsOfIt() throws Exception {
        try (RedisProcess redis = RedisServer.startProcess()) {
            assertNothingOlder(Trouble.LOSSES, new HistoryRedis.Restarting(redis, true));
        }
    }

    @Test
    void replicaFromBeforeAClearAnswersNobodyWhoKnowsOfIt() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            assertNothingOlder(Trouble.FAILOVER, new HistoryRedis.Succeeded(sentinels));
        }
    }

    private void assertIsFoundOut(Path front, String part, String mistake) throws Exception {
        BrokenClass.compile(front, "io.stampedeguard.internal.spi.Marks", part, mistake);
        try (RedisProcess redis = RedisServer.startProcess()) {
            HistoryRun history = HistoryRun.violated(
                    directory,
                    files -> run(
                            Trouble.LOSSES,
                            HistoryTest.MEMBER.withInFrontOfClassPath(front),
                            new HistoryRedis.Restarting(redis, true),
                            files));

            assertThat(history.violations()).as("%s", history).isNotEmpty();
        }
    }

    @Test
    void forgettingTheClearsThatRedisHasLostIsFoundOut(@TempDir Path front) throws Exception {
        assertIsFoundOut(front, "Math.max(removed, other.removed),\n", "other.removed,\n");
    }

    @Test
    void forgettingTheTagsThatRedisHasLostIsFoundOut(@TempDir Path front) throws Exception {
        String last = "return !now.equals(answered);";
        assertIsFoundOut(front, last, "ofTags.values().removeIf(each -> each.last() > answered.generation);" + last);
    }
}
