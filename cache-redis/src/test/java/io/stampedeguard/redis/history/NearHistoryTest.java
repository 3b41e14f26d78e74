package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testkit.Operation.Ending;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P2 with near caches: no {@code get} is answered by a near cache with a value that was invalidated in its own process
 * before, or elsewhere longer before than {@code maxStaleness}; the answers of the shared store are as without near
 * caches.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class NearHistoryTest {
    private static final String COHERENCE = "io.stampedeguard.internal.near.Coherence";
    private static final int A_FEW = 10_000;
    private static final int OPERATIONS = 100_000;
    private static final int OPERATIONS_OF_MUTANTS = 20_000;

    private RedisServer redis;

    @BeforeAll
    void start() {
        redis = RedisServer.startProcess();
    }

    @AfterAll
    void close() {
        redis.close();
    }

    private HistoryRun run(long operations, Trouble trouble, MemberCommand member, Path directory) throws Exception {
        return HistoryRun.of(operations, NearCaches.ALL, trouble, member, HistoryRedis.lasting(redis), directory);
    }

    private void assertNeverBehindForTooLong(long operations, Trouble trouble, Path directory) throws Exception {
        HistoryRun history = run(operations, trouble, HistoryTest.MEMBER, directory);

        history.assertNearCachesWorthTheirTime(operations);
        assertThat(history.violations()).as("%s", history).isEmpty();
    }

    @Test
    void noNearCacheIsBehindForLongerThanItsBound(@TempDir Path directory) throws Exception {
        assertNeverBehindForTooLong(A_FEW, Trouble.ONE_OF_EACH, directory);
    }

    @Test
    @Tag("proof")
    void noNearCacheExceedsItsBoundAmongAHundredThousandCalls(@TempDir Path directory) throws Exception {
        assertNeverBehindForTooLong(OPERATIONS, Trouble.CUTS_AS_WELL, directory);
    }

    @Test
    @Tag("chaos")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void noNearCacheExceedsItsBoundAmongAMillionCalls(@TempDir Path directory) throws Exception {
        assertNeverBehindForTooLong(10 * OPERATIONS, Trouble.CUTS_AS_WELL, directory);
    }

    private void assertFoundOut(Trouble trouble, Path front, Path directory) throws Exception {
        HistoryRun history = HistoryRun.violated(
                directory,
                each -> run(OPERATIONS_OF_MUTANTS, trouble, HistoryTest.MEMBER.withInFrontOfClassPath(front), each));

        assertThat(history.violations())
                .as("%s", history)
                .isNotEmpty()
                .allMatch(found -> found.get().ending() == Ending.NEAR);
    }

    @Test
    @Tag("proof")
    void changesThatNobodyAnnouncesAreFoundOut(@TempDir Path directory, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "change.lua", "redis\\.pcall\\('PUBLISH', changes, KEYS\\[1\\]\\)", "1");

        assertFoundOut(Trouble.NONE, front, directory);
    }

    @Test
    @Tag("chaos")
    void nearCacheNotOutdatedByItsOwnProcessIsFoundOut(@TempDir Path directory, @TempDir Path front) throws Exception {
        BrokenClass.compile(
                front, "io.stampedeguard.internal.near.NearCache", "partOf(storeKey, parts).changed(storeKey);", "");

        assertFoundOut(Trouble.NONE, front, directory);
    }

    /**
     * The knowledge of a stopped process is outdated when it continues; it has not yet read the messages sent
     * meanwhile.
     */
    @Test
    @Tag("chaos")
    void answersOnProofsThatAreTooOldAreFoundOut(@TempDir Path directory, @TempDir Path front) throws Exception {
        BrokenClass.compile(front, COHERENCE, "nowNanos - untilNanos <= 0 && ", "!disconnected && ");

        assertFoundOut(Trouble.CUTS_AS_WELL, front, directory);
    }

    @Test
    @Tag("chaos")
    void copiesFromBeforeAGapAreFoundOut(@TempDir Path directory, @TempDir Path front) throws Exception {
        BrokenClass.compile(front, COHERENCE, "ticket.gaps() == gaps && ", "");

        assertFoundOut(Trouble.CUTS_AS_WELL, front, directory);
    }
}
