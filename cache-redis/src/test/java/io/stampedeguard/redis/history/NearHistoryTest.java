package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.MemberCommand;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P2 with near caches: no {@code get} is answered by a near cache with a value that was invalidated in its own process
 * before, or elsewhere longer before than {@code nearStaleness}; what the shared store answers is as if there were none.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class NearHistoryTest {
    private static final int OPERATIONS = 100_000;

    private RedisServer redis;

    @BeforeAll
    void start() {
        redis = RedisServer.startProcess();
    }

    @AfterAll
    void close() {
        redis.close();
    }

    private HistoryRun run(long operations, NearCaches nearCaches, MemberCommand member, Path directory)
            throws Exception {
        return HistoryRun.of(operations, nearCaches, member, redis.uri(), directory);
    }

    @Test
    void noNearCacheIsBehindForLongerThanItsBound(@TempDir Path directory) throws Exception {
        HistoryRun history = run(OPERATIONS, NearCaches.ANNOUNCED, HistoryTest.MEMBER, directory);

        history.assertNearCachesWorthTheirTime(OPERATIONS);
        assertThat(history.violations()).as("%s", history).isEmpty();
    }

    @Test
    void noNearCacheIsBehindForLongerThanItsBoundWhereRedisTracksTheKeys(@TempDir Path directory) throws Exception {
        HistoryRun history = run(OPERATIONS / 4, NearCaches.TRACKED, HistoryTest.MEMBER, directory);

        history.assertNearCachesWorthTheirTime(OPERATIONS / 4);
        assertThat(history.violations()).as("%s", history).isEmpty();
    }
}
