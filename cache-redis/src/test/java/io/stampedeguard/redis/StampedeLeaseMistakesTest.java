package io.stampedeguard.redis;

import static io.stampedeguard.redis.LeaseSpecification.DIRECTORY;
import static io.stampedeguard.redis.LeaseSpecification.configuration;
import static io.stampedeguard.redis.LeaseSpecification.matches;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes in the lease protocol: TLC refutes each. */
@Order(1) // because it takes longer than any other class
final class StampedeLeaseMistakesTest {
    /** Against a TLC that hangs; a busy machine is no reason to fail. */
    private static final Duration DEADLINE = Duration.ofMinutes(20);

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
            entry("overwrites-what-it-cannot-read", NO_FIGHT));

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakeIsRefuted(String mistake, String promise) throws Exception {
        boolean temporal = configuration("broken/" + mistake).contains("PROPERTY " + promise);

        TlcRun run = LeaseSpecification.check("broken/" + mistake, scratch, DEADLINE, ONE_SECOND);

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
        String flaws = matches("(?s)Flaws == \\{(.*?)}", LeaseSpecification.text())
                .iterator()
                .next();
        StringBuilder tried = new StringBuilder();
        for (String mistake : REFUTED.keySet()) {
            tried.append(configuration("broken/" + mistake));
        }
        assertThat(matches("Flaw = \"(.*)\"", tried)).isEqualTo(matches("\"(.*?)\"", flaws));
    }

    private static Stream<Arguments> mistakes() {
        return REFUTED.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(mistake -> Arguments.of(mistake.getKey(), mistake.getValue()));
    }
}
