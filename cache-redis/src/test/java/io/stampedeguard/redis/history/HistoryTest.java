package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.MemberCommand;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P2: after {@code invalidate(key)} returned, no {@code get} that starts later is answered from the shared store with a
 * value loaded before it. Broken scripts show that the checker detects violations.
 */
@Order(7)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class HistoryTest {
    /** Deliberate failures of the origin are not worth a log line. */
    static final MemberCommand MEMBER =
            MemberCommand.small(HistoryMember.class, 64).logging("error");

    private static final int A_FEW = 5_000;
    private static final int OPERATIONS = 100_000;
    private static final int OPERATIONS_WITH_LATE_PUTS = 20_000;

    private RedisServer redis;

    @BeforeAll
    void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    void close() {
        redis.close();
    }

    private HistoryRun run(int operations, Trouble trouble, MemberCommand member, Path run) throws Exception {
        return HistoryRun.of(operations, NearCaches.NONE, trouble, member, HistoryRedis.lasting(redis), run);
    }

    private void assertNoGetSeesAnOlderVersion(int operations, Path run) throws Exception {
        HistoryRun history = run(operations, Trouble.KILLS_AND_PAUSES, MEMBER, run);

        history.assertWorthItsTime(operations);
        assertThat(history.violations()).as("%s", history).isEmpty();
    }

    @Test
    void noGetThatBeganAfterAnInvalidationReturnedSeesAnOlderVersion(@TempDir Path run) throws Exception {
        assertNoGetSeesAnOlderVersion(A_FEW, run);
    }

    @Test
    @Tag("proof")
    void noGetAmongAHundredThousandCallsSeesAnOlderVersion(@TempDir Path run) throws Exception {
        assertNoGetSeesAnOlderVersion(OPERATIONS, run);
    }

    @Test
    @Tag("chaos")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void noGetAmongAMillionCallsSeesAnOlderVersion(@TempDir Path run) throws Exception {
        assertNoGetSeesAnOlderVersion(10 * OPERATIONS, run);
    }

    private HistoryRun withLatePuts(MemberCommand member, Path run) throws Exception {
        HistoryRun history = run(OPERATIONS_WITH_LATE_PUTS, Trouble.LATE_PUTS, member, run);
        history.assertLatePutsWorthTheirTime(OPERATIONS_WITH_LATE_PUTS);
        return history;
    }

    @Test
    @Tag("proof")
    void noPutThatArrivesLateBringsBackAnOlderVersion(@TempDir Path run) throws Exception {
        HistoryRun history = withLatePuts(MEMBER, run);

        assertThat(history.violations()).as("%s", history).isEmpty();
    }

    @Test
    @Tag("proof")
    void puttingWithoutALookAtTheTimeIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "put.lua", "if millis < .* then", "if false then");

        HistoryRun history = withLatePuts(MEMBER.withInFrontOfClassPath(front), run);

        assertThat(history.violations()).as("%s", history).isNotEmpty();
    }

    /** Of processes with a broken part in a directory. */
    private void assertFoundOut(Path front, Path run) throws Exception {
        HistoryRun history = HistoryRun.violated(
                run,
                directory -> run(A_FEW, Trouble.KILLS_AND_PAUSES, MEMBER.withInFrontOfClassPath(front), directory));

        assertThat(history.violations()).as("%s", history).isNotEmpty();
    }

    @Test
    @Tag("proof")
    void puttingByHandWithoutALookAtTheFenceIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "put.lua", "if ARGV\\[9\\] and not passes\\(\\) then", "if false then");

        assertFoundOut(front, run);
    }

    @Test
    @Tag("proof")
    void publishingWithoutALookAtTheTokenIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "publish.lua", "if not isHeld then", "if false then");

        assertFoundOut(front, run);
    }

    @Test
    @Tag("proof")
    void invalidationThatLeavesTheLeaseIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "invalidate.lua", "'DEL', KEYS\\[1\\], KEYS\\[2\\]", "'DEL', KEYS[1]");

        assertFoundOut(front, run);
    }

    @Test
    @Tag("proof")
    void invalidationOfAllThatNobodyComparesWithIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "mark.lua", "removed = last\n", "removed = removed\n");

        assertFoundOut(front, run);
    }

    @Test
    @Tag("proof")
    void entryNotComparedWithItsTagMarksIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenClass.compile(
                front,
                "io.stampedeguard.internal.spi.Marks",
                "stamp < (removed ? mark.removed : mark.expired)",
                "!removed && stamp < mark.expired");

        assertFoundOut(front, run);
    }

    @Test
    @Tag("proof")
    void snapshotThatIsNotComparedWithTheLastChangeIsFoundOut(@TempDir Path run, @TempDir Path front) throws Exception {
        BrokenScript.write(front, "publish.lua", "math.max\\(lastChange, nowMillis", "(nowMillis");

        assertFoundOut(front, run);
    }
}
