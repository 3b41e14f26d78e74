package io.stampedeguard.benchmarks.bench;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.program.ProgramJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchEndTest {
    /** Redis and four processes. */
    private static final int CHILDREN = 5;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --no-such-option               | Unknown option: '--no-such-option'
                    --rounds many                  | Invalid value for option '--rounds': 'many' is not an int
                    --rounds 0                     | --rounds 0 is not from 1 to 10,000
                    --workloads W3,W99             | --workloads 'W99' is none of W1, W2, W3, W4, W4L, W5, W6, W7, W8, W9, W10, W10b, W12, W13, W15
                    --peers Caffeine               | --peers 'Caffeine' is none of guarded, guarded-near, guarded-poll, guarded-refresh-after, guarded-filter, cache-aside, caffeine, jedis
                    --peers caffeine --workloads W9 | --workloads W9 does not apply to --peers caffeine; it suits guarded, guarded-near, guarded-poll, guarded-refresh-after, guarded-filter, cache-aside
                    --peers jedis,cache-aside --workloads W2,W1 | --workloads W1 does not apply to --peers jedis,cache-aside; it suits guarded-near, caffeine
                    """)
    void aWrongOptionIsOneLineAndExitCode2(String options, String complaint) throws Exception {
        try (ProgramJvm bench = ProgramJvm.start(Main.class, directory, options.split(" "))) {
            assertThat(bench.lines()).isEmpty();
            assertThat(bench.exitCode()).isEqualTo(2);
            assertThat(bench.errors())
                    .isEqualTo("stampede bench: %s (see ./stampede bench --help)%n".formatted(complaint));
        }
    }

    @Test
    void theHelpTellsOfEachWorkloadAndPeer() throws Exception {
        try (ProgramJvm bench = ProgramJvm.start(Main.class, directory, "--help")) {
            assertThat(String.join("\n", bench.lines()))
                    .contains(
                            "Usage: ./stampede bench",
                            "W1, W2, W3, W4, W4L, W5, W6, W7, W8, W9, W10,",
                            "guarded-near, guarded-poll, guarded-refresh-after,",
                            "guarded-filter, cache-aside, caffeine, jedis")
                    .contains(
                            "  W9  late writer",
                            "  W10  Redis is killed",
                            "  W10b  Redis is stopped",
                            "  W12  nonexistent keys",
                            "  W13  real users",
                            "  W15  many cold keys");
            assertThat(bench.exitCode()).isZero();
        }
    }

    @Test
    void ctrlCLeavesNoProcessAndNoFileBehind() throws Exception {
        try (ProgramJvm bench =
                ProgramJvm.start(Main.class, directory, "--quick", "--json", "--workloads", "W8", "--rounds", "1000")) {
            bench.firstLines(1);
            List<ProcessHandle> children = bench.handle().descendants().toList();
            assertThat(children).hasSizeGreaterThanOrEqualTo(CHILDREN);

            new ProcessBuilder("kill", "-INT", Long.toString(bench.handle().pid()))
                    .start()
                    .waitFor();

            assertThat(bench.exitCode()).isEqualTo(130);
            for (ProcessHandle child : children) {
                child.onExit().get(120, SECONDS);
            }
            assertThat(directory.resolve("temporary")).isEmptyDirectory();
        }
    }
}
