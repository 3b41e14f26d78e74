package io.stampedeguard.benchmarks.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.peer.FailingPeers;
import io.stampedeguard.testbed.program.ProgramJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer that fails is shown with the reason, and the others go on, with real processes on a real Redis. */
class FailingPeersTest {
    @TempDir
    Path directory;

    @Test
    void aFailingPeerIsShownWithItsReasonAndOthersRun() throws Exception {
        Path page = directory.resolve("page.html");
        List<String> lines = run("--rounds", "2", "--report", page.toString());

        assertThat(lines.get(2)).matches("1x256 +guarded +2 +1 .*");
        assertThat(lines)
                .contains(
                        "failed (redisson-map, 1x256): does not take part: values have no TTL",
                        "failed (redisson-lock, 1x256): java.lang.IllegalStateException: no connection");
        assertThat(page)
                .content()
                .contains("failed (redisson-map, 1x256): does not take part: values have no TTL")
                .contains("failed (redisson-lock, 1x256): java.lang.IllegalStateException: no connection");
    }

    @Test
    void aFailureIsOneLineOfJson() throws Exception {
        List<String> lines = run("--rounds", "1", "--json");

        assertThat(lines)
                .filteredOn(line -> line.contains("\"failed\""))
                .containsExactly(
                        "{\"workload\":\"W3\",\"peer\":\"redisson-map\",\"config\":\"1x256\",\"round\":0,"
                                + "\"failed\":\"does not take part: values have no TTL\"}",
                        "{\"workload\":\"W3\",\"peer\":\"redisson-lock\",\"config\":\"1x256\",\"round\":0,"
                                + "\"failed\":\"java.lang.IllegalStateException: no connection\"}");
        assertThat(lines)
                .filteredOn(line -> line.contains("\"peer\":\"guarded\""))
                .hasSize(1);
    }

    private List<String> run(String... options) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("--quick", "--workloads", "W3", "--peers", "guarded,redisson-map,redisson-lock"));
        arguments.addAll(List.of(options));
        try (ProgramJvm bench =
                ProgramJvm.start(Main.class, directory, List.of(moduleOnRequest()), arguments.toArray(String[]::new))) {
            List<String> lines = bench.lines();
            assertThat(bench.exitCode()).as(bench.errors()).isZero();
            return lines;
        }
    }

    /** The directory that makes the module known, which is not on the class path of the tests. */
    private static Path moduleOnRequest() throws Exception {
        Path classes = Path.of(Objects.requireNonNull(FailingPeers.class.getResource("/failing-peers"))
                .toURI());
        assertThat(Files.isDirectory(classes)).isTrue();
        return classes;
    }
}
