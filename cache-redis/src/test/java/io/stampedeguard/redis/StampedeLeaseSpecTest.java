package io.stampedeguard.redis;

import static java.util.Map.entry;
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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification of the lease protocol, {@code docs/protocol}: TLC proves its properties, and refutes each mistake. */
@Order(4)
final class StampedeLeaseSpecTest {
    private static final Path DIRECTORY = Path.of("..", "docs", "protocol");
    private static final Path SPECIFICATION = DIRECTORY.resolve("StampedeLease.tla");

    /** Against a TLC that hangs; a busy machine is no reason to fail. */
    private static final Duration DEADLINE = Duration.ofMinutes(20);

    private static final Duration LONG_DEADLINE = Duration.ofHours(2);
    /** For a run of about a second, of which thorough compilation would be half. */
    private static final String ONE_SECOND = "-XX:TieredStopAtLevel=1";

    /** A property of single steps, which TLC calls an action property: it names it, but exits as for a temporal one. */
    private static final String NO_FIGHT = "NoFight";

    /** Each mistake, and the property that it breaks. */
    private static final Map<String, String> REFUTED = Map.ofEntries(
            entry("publish-without-token-check", "P2_NothingOlder"),
            entry("loser-stored", "P1_LosersAreFenced"),
            entry("abandon-without-token-check", "P1_OneLoad"),
            entry("no-renewal", "P1_OneLoad"),
            entry("lock-without-ttl", "EveryGetEnds"),
            entry("no-question-after-subscribing", "EveryGetEnds"),
            entry("another-holder-will-do", "EveryGetEnds"),
            entry("message-before-the-look-answers", "P2_NothingOlder"),
            entry("message-not-matched", "P2_NothingOlder"),
            entry("refused-load-answers-all", "P2_NothingOlder"),
            entry("follower-loads", "P3_OnlyLeadersLoad"),
            entry("marker-never-ends", "FailuresFade"),
            entry("no-connection-means-no-store", "P3_OnlyLeadersLoad"),
            entry("unanswered-means-free", "P3_OnlyLeadersLoad"),
            entry("same-token-again", "P2_NothingOlder"),
            entry("renewals-wait-for-each-other", "P1_OneLoad"),
            entry("no-renewal-while-encoding", "P1_OneLoad"),
            entry("unstored-load-frees-the-lease-only", "P8_NobodyQueues"),
            entry("lengths-are-not-carried", "EveryGetEnds"),
            entry("renewal-forgets-who-waits", "EveryGetEnds"),
            entry("looks-before-it-takes", "P1_NothingLoadedTwice"),
            entry("overwrites-what-it-cannot-read", NO_FIGHT),
            entry("put-at-any-time", "P2_NothingOlder"));

    /** The actions that need one of the failures in {@code Pressure.cfg}, which {@code StampedeLease.cfg} leaves out. */
    private static final Set<String> UNDER_PRESSURE_ONLY = Set.of(
            "NoConnection", "Unanswered", "Arrives", "StallElsewhere", "NotStored", "Return", "ClockBack", "PassEnds");

    @TempDir
    private Path scratch;

    /** Together with {@link #protocolHoldsWhatItPromisesUnderPressure}, each action of the specification is taken. */
    @Test
    void protocolHoldsWhatItPromisesWhateverHappens() throws Exception {
        TlcRun run = check("StampedeLease", DEADLINE);

        assertHolds(run, 35_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).containsExactlyInAnyOrderElementsOf(UNDER_PRESSURE_ONLY);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThreeProcesses() throws Exception {
        assertHolds(check("ThreeProcesses", DEADLINE), 73_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesUnderPressure() throws Exception {
        TlcRun run = check("Pressure", DEADLINE);

        assertHolds(run, 480_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContainAnyElementsOf(UNDER_PRESSURE_ONLY);
    }

    @Test
    @Tag("proof")
    void eachGetEndsUnderPressure() throws Exception {
        assertHolds(check("PressureEnds", DEADLINE), 69_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToProcessesOfTwoVersions() throws Exception {
        assertHolds(check("Versions", DEADLINE), 280_000);
    }

    @Test
    @Tag("proof")
    void eachGetEndsInAFleetOfTwoVersions() throws Exception {
        assertHolds(check("VersionsEnd", DEADLINE), 38_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThoseWhoAreWokenUp() throws Exception {
        assertHolds(check("WakeUp", DEADLINE), 103_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThoseWhoShareALoad() throws Exception {
        assertHolds(check("Passengers", DEADLINE), 139_000);
    }

    @Test
    @Tag("chaos")
    void protocolHoldsWhatItPromisesInALargeFleet() throws Exception {
        assertHolds(check("Large", LONG_DEADLINE), 500_000);
    }

    @Test
    @Tag("chaos")
    void eachOfThreeGetsEndsUnderPressure() throws Exception {
        assertHolds(check("LargePressureEnds", LONG_DEADLINE), 292_000);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    @Tag("proof")
    void mistakeIsRefuted(String mistake, String promise) throws Exception {
        boolean temporal = configuration("broken/" + mistake).contains("PROPERTY " + promise);

        TlcRun run = check("broken/" + mistake, DEADLINE, ONE_SECOND);

        assertThat(run.exitCode())
                .as(run.output())
                .isEqualTo(temporal ? TlcRun.PROPERTY_VIOLATED : TlcRun.INVARIANT_VIOLATED);
        assertThat(run.output()).contains(violated(promise, temporal));
    }

    /** TLC's message about it. It does not name a violated temporal property; there is only one, see below. */
    private static String violated(String promise, boolean temporal) {
        if (promise.equals(NO_FIGHT)) {
            return "Action property " + promise + " is violated";
        }
        return temporal ? "Temporal properties were violated" : "Invariant " + promise + " is violated";
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakeIsTriedAgainstOnePromise(String mistake, String promise) throws IOException {
        assertThat(matches("(?m)^(?:INVARIANT|PROPERT)\\w* (.*)$", configuration("broken/" + mistake)))
                .containsExactly(promise);
    }

    @Test
    void everyMistakeIsTried() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY.resolve("broken"))) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".cfg", "")))
                    .containsExactlyInAnyOrderElementsOf(REFUTED.keySet());
        }
        String flaws = matches("(?s)Flaws == \\{(.*?)}", Files.readString(SPECIFICATION))
                .iterator()
                .next();
        StringBuilder tried = new StringBuilder();
        for (String mistake : REFUTED.keySet()) {
            tried.append(configuration("broken/" + mistake));
        }
        assertThat(matches("Flaw = \"(.*)\"", tried)).isEqualTo(matches("\"(.*?)\"", flaws));
    }

    @Test
    void specificationNamesTheScriptsOfTheStoreAndNoOthers() throws Exception {
        assertThat(matches("(\\w+\\.lua)", Files.readString(SPECIFICATION))).isEqualTo(scripts());
    }

    private static Stream<Arguments> mistakes() {
        return REFUTED.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(mistake -> Arguments.of(mistake.getKey(), mistake.getValue()));
    }

    /** The bound is about two thirds of the actual number of states: a specification in which little can happen fails. */
    private static void assertHolds(TlcRun run, long atLeastStates) {
        assertThat(run.exitCode()).as(run.output()).isEqualTo(TlcRun.HOLDS);
        assertThat(run.output()).contains("No error has been found.");
        assertThat(run.distinctStates()).as(run.output()).isGreaterThanOrEqualTo(atLeastStates);
    }

    private TlcRun check(String configuration, Duration deadline, String... jvmOptions) throws Exception {
        return TlcRun.of(SPECIFICATION, DIRECTORY.resolve(configuration + ".cfg"), scratch, deadline, jvmOptions);
    }

    private static String configuration(String name) throws IOException {
        return Files.readString(DIRECTORY.resolve(name + ".cfg"));
    }

    private static Set<String> scripts() throws IOException, URISyntaxException {
        Path directory =
                Path.of(RedisStore.class.getResource("publish.lua").toURI()).getParent();
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .collect(Collectors.toSet());
        }
    }

    private static Set<String> matches(String pattern, CharSequence text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }
}
