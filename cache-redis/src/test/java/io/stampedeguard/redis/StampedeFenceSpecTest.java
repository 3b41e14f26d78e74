package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification of look-ups and puts by hand: TLC proves its properties, and refutes each mistake. */
final class StampedeFenceSpecTest {
    private static final Path DIRECTORY = Path.of("..", "docs", "protocol");
    private static final Path SPECIFICATION = DIRECTORY.resolve("StampedeFence.tla");

    /** Against a TLC that hangs; a busy machine is no reason to fail. */
    private static final Duration DEADLINE = Duration.ofMinutes(20);

    @TempDir
    private Path scratch;

    @Test
    @Tag("proof")
    void noPutIsAcceptedAfterAChange() throws Exception {
        TlcRun run = TlcRun.of(SPECIFICATION, DIRECTORY.resolve("StampedeFence.cfg"), scratch, DEADLINE);

        assertThat(run.exitCode()).as(run.output()).isEqualTo(TlcRun.HOLDS);
        assertThat(run.distinctStates()).as(run.output()).isGreaterThan(100_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    @Tag("proof")
    void mistakeIsRefuted(Path mistake) throws Exception {
        TlcRun run = TlcRun.of(SPECIFICATION, mistake, scratch, DEADLINE, "-XX:TieredStopAtLevel=1");

        assertThat(run.exitCode()).as(run.output()).isEqualTo(TlcRun.INVARIANT_VIOLATED);
    }

    @Test
    void everyMistakeIsTried() throws IOException {
        String flaws = matches("(?s)Flaws == \\{(.*?)}", SPECIFICATION).get(0);
        List<String> tried = mistakes()
                .flatMap(mistake -> matches("Flaw = \"(.*)\"", mistake).stream())
                .toList();

        assertThat(tried)
                .containsExactlyInAnyOrderElementsOf(Pattern.compile("\"(.*?)\"")
                        .matcher(flaws)
                        .results()
                        .map((MatchResult found) -> found.group(1))
                        .toList());
    }

    private static Stream<Path> mistakes() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY.resolve("broken-fences"))) {
            return files.sorted().toList().stream();
        }
    }

    private static List<String> matches(String pattern, Path file) {
        try {
            return Pattern.compile(pattern)
                    .matcher(Files.readString(file))
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
