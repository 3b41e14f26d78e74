package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is tested of each specification in {@code docs/protocol}: TLC refutes each mistake, by the promise that it breaks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SpecificationTest {
    static final Path DIRECTORY = Path.of("..", "docs", "protocol");

    /** Against a TLC that hangs; a busy machine is no reason to fail. */
    static final Duration DEADLINE = Duration.ofMinutes(20);

    /** For a run of a few seconds, of which thorough compilation would be half. */
    static final String BRIEF = "-XX:TieredStopAtLevel=1";

    @TempDir
    private Path scratch;

    private final Path specification;
    private final String mistakes;
    private final Map<String, String> refuted;

    /**
     * @param module the file
     * @param mistakes the directory of the configurations with a mistake
     * @param refuted each of these, and the promise that it breaks
     */
    SpecificationTest(String module, String mistakes, Map<String, String> refuted) {
        this.specification = DIRECTORY.resolve(module + ".tla");
        this.mistakes = mistakes;
        this.refuted = refuted;
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    @Tag("proof")
    void mistakeIsRefuted(String mistake, String promise) throws Exception {
        boolean temporal = configuration(mistakes + "/" + mistake).contains("PROPERTY " + promise);

        TlcRun run = check(mistakes + "/" + mistake, DEADLINE, BRIEF);

        assertThat(run.exitCode())
                .as(run.output())
                .isEqualTo(temporal ? TlcRun.PROPERTY_VIOLATED : TlcRun.INVARIANT_VIOLATED);
        assertThat(run.output()).contains(violated(promise, temporal));
    }

    /** TLC's message about it. It does not name a violated temporal property; there is only one, see below. */
    String violated(String promise, boolean temporal) {
        return temporal ? "Temporal properties were violated" : "Invariant " + promise + " is violated";
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakeIsTriedAgainstOnePromise(String mistake, String promise) throws IOException {
        assertThat(matches("(?m)^(?:INVARIANT|PROPERT)\\w* (.*)$", configuration(mistakes + "/" + mistake)))
                .containsExactly(promise);
    }

    @Test
    void everyMistakeIsTried() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY.resolve(mistakes))) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".cfg", "")))
                    .containsExactlyInAnyOrderElementsOf(refuted.keySet());
        }
        String flaws = matches("(?s)Flaws == \\{(.*?)}", text()).iterator().next();
        StringBuilder tried = new StringBuilder();
        for (String mistake : refuted.keySet()) {
            tried.append(configuration(mistakes + "/" + mistake));
        }
        assertThat(matches("Flaw = \"(.*)\"", tried)).isEqualTo(matches("\"(.*?)\"", flaws));
    }

    @Test
    void specificationNamesScriptsOfTheStore() throws Exception {
        assertThat(scripts()).containsAll(scriptsNamed());
    }

    private Stream<Arguments> mistakes() {
        return refuted.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(mistake -> Arguments.of(mistake.getKey(), mistake.getValue()));
    }

    /** The bound is about two thirds of the actual number of states: a specification in which little can happen fails. */
    static void assertHolds(TlcRun run, long atLeastStates) {
        assertThat(run.exitCode()).as(run.output()).isEqualTo(TlcRun.HOLDS);
        assertThat(run.output()).contains("No error has been found.");
        assertThat(run.distinctStates()).as(run.output()).isGreaterThanOrEqualTo(atLeastStates);
    }

    TlcRun check(String configuration, Duration deadline, String... jvmOptions) throws Exception {
        return run(configuration, deadline, false, jvmOptions);
    }

    /** Also counts how often each action is taken. */
    TlcRun checkActions(String configuration, String... jvmOptions) throws Exception {
        return run(configuration, DEADLINE, true, jvmOptions);
    }

    private TlcRun run(String configuration, Duration deadline, boolean countsActions, String... jvmOptions)
            throws Exception {
        Path file = DIRECTORY.resolve(configuration + ".cfg");
        return TlcRun.of(specification, file, scratch, deadline, countsActions, jvmOptions);
    }

    private String text() throws IOException {
        return Files.readString(specification);
    }

    Set<String> scriptsNamed() throws IOException {
        return matches("(\\w+\\.lua)", text());
    }

    static Set<String> scripts() throws IOException, URISyntaxException {
        Path directory =
                Path.of(RedisStore.class.getResource("publish.lua").toURI()).getParent();
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .collect(Collectors.toSet());
        }
    }

    private static String configuration(String name) throws IOException {
        return Files.readString(DIRECTORY.resolve(name + ".cfg"));
    }

    private static Set<String> matches(String pattern, CharSequence text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }
}
