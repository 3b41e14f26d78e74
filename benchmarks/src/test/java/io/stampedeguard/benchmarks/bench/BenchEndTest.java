package io.stampedeguard.benchmarks.bench;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.workload.Workloads;
import io.stampedeguard.testbed.program.ProgramJvm;
import io.stampedeguard.testbed.program.ProgramRun;
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
                    --workloads W3,W99             | --workloads 'W99' is none of W1, W2, W3, W4, W4L, W5, W6, W7, W8, W9, W10, W10b, W11, W12, W13, W14, W15, W16, W17, W18
                    --peers Caffeine               | --peers 'Caffeine' is none of guarded, guarded-near, guarded-filter, guarded-gathering, cache-aside, caffeine, jedis, lettuce, jetcache-remote, jetcache-two-level, jetcache-refresh, redisson-map, redisson-local-map, redisson-lock, redisson-spring, spring-guarded, spring-guarded-sync, spring-guarded-unless, spring-guarded-future, spring-guarded-mono, spring-guarded-near, spring-caffeine, spring-sync, spring-plain, spring-locking, spring-scan
                    --peers guarded,redisson       | --peers 'redisson-map' needs the module benchmarks/peers/redisson, which is missing
                    --peers caffeine --workloads W9 | --workloads W9 does not apply to --peers caffeine; it suits guarded, guarded-near, guarded-filter, guarded-gathering, cache-aside
                    --workloads W11                | --workloads W11 replays a trace: add --trace FILE.xz
                    --workloads W11 --trace none.xz | --trace none.xz is not a readable xz file
                    --report none/page.html        | --report none/page.html is not in an existing directory
                    --report page.txt              | --report page.txt ends neither in .html nor in .md
                    --peers jedis,cache-aside --workloads W2,W1 | --workloads W1 does not apply to --peers jedis,cache-aside; it suits guarded-near, caffeine
                    """)
    void aWrongOptionIsOneLineAndExitCode2(String options, String complaint) {
        assertThat(ProgramRun.here("stampede bench", new BenchCommand(), options.split(" ")))
                .isEqualTo(ProgramRun.ofWrongOption("stampede bench", complaint));
    }

    @Test
    void theHelpFitsATerminal() {
        ProgramRun help = ProgramRun.here("stampede bench", new BenchCommand(), "--help");

        assertThat(help.lines())
                .hasSizeLessThanOrEqualTo(40)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
                .anySatisfy(line -> assertThat(line).contains("--workloads=NAMES"))
                .anySatisfy(line -> assertThat(line).contains("--list"));
        assertThat(help.code()).isZero();
        assertThat(help.errors()).isEmpty();
    }

    @Test
    void allWorkloadsAndPeersAreListed() {
        ProgramRun list = ProgramRun.here("stampede bench", new BenchCommand(), "--list");

        assertThat(list.lines())
                .containsAll(Peers.names())
                .filteredOn(line -> line.startsWith("W"))
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactlyElementsOf(Workloads.names());
        assertThat(list.code()).isZero();
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
