package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Caller;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
    private static final Caller CALLER = new Caller("process", "thread");
    private static final long BEYOND_AN_INT = 1L << 40;

    @TempDir
    Path directory;

    @Test
    void callsAreReadAsTheyWereWritten() throws IOException {
        Path file = directory.resolve("process.thread");
        HistoryFile history = HistoryFile.create(file);
        int write = history.begin(Kind.WRITE, 3, 1);
        history.end(write, Kind.WRITE, Ending.RETURNED, 3, 2, BEYOND_AN_INT + 1);
        int get = history.begin(Kind.GET, 14, BEYOND_AN_INT);
        history.end(get, Kind.GET, Ending.THREW, 14, BEYOND_AN_INT + 2, 0);

        assertThat(HistoryFile.read(file))
                .containsExactly(
                        new Operation(CALLER, "k3", Kind.WRITE, Ending.RETURNED, 1, 2, BEYOND_AN_INT + 1),
                        new Operation(CALLER, "k14", Kind.GET, Ending.THREW, BEYOND_AN_INT, BEYOND_AN_INT + 2, 0));
    }

    @Test
    void openCallsEndInAnyOrder() throws IOException {
        Path file = directory.resolve("process.thread");
        HistoryFile history = HistoryFile.create(file);
        int one = history.begin(Kind.GET_ASYNC, 1, 10);
        int other = history.begin(Kind.GET_ASYNC, 2, 11);
        history.end(other, Kind.GET_ASYNC, Ending.NEAR, 2, 12, 5);
        history.end(one, Kind.GET_ASYNC, Ending.RETURNED, 1, 13, 6);

        assertThat(HistoryFile.read(file))
                .containsExactly(
                        new Operation(CALLER, "k1", Kind.GET_ASYNC, Ending.RETURNED, 10, 13, 6),
                        new Operation(CALLER, "k2", Kind.GET_ASYNC, Ending.NEAR, 11, 12, 5));
    }

    @Test
    void callThatHasNotEndedIsUnfinished() throws IOException {
        Path file = directory.resolve("process.thread");
        HistoryFile history = HistoryFile.create(file);
        history.begin(Kind.INVALIDATION, 0, 7);

        assertThat(HistoryFile.read(file))
                .containsExactly(new Operation(CALLER, "k0", Kind.INVALIDATION, Ending.UNFINISHED, 7, 0, 0));
    }

    @Test
    void fileOfAThreadThatCalledNothingIsEmpty() throws IOException {
        Path file = directory.resolve("process.thread");
        HistoryFile.create(file);

        assertThat(HistoryFile.read(file)).isEmpty();
    }
}
