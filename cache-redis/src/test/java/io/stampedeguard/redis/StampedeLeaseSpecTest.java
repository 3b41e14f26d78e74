package io.stampedeguard.redis;

import static io.stampedeguard.redis.LeaseSpecification.matches;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The specification of the lease protocol, {@code docs/protocol}: TLC proves its properties. {@link StampedeLeaseMistakesTest} has
 * mistakes that it refutes.
 */
@Order(1) // because it takes long
final class StampedeLeaseSpecTest {
    /** Against a TLC that hangs; a busy machine is no reason to fail. */
    private static final Duration DEADLINE = Duration.ofMinutes(20);

    private static final Duration LONG_DEADLINE = Duration.ofHours(2);

    /** The actions of a plain request for a lease, which {@code Passengers.cfg} takes, and {@code StampedeLease.cfg} leaves out. */
    private static final Set<String> OF_PLAIN_REQUESTS = Set.of("Take", "See");

    /** The actions that need one of the failures in {@code Pressure.cfg}, which {@code StampedeLease.cfg} leaves out. */
    private static final Set<String> UNDER_PRESSURE_ONLY = Set.of(
            "NoConnection",
            "Unanswered",
            "Arrives",
            "GivenBack",
            "NeverArrives",
            "StallElsewhere",
            "NotStored",
            "Return",
            "ClockBack",
            "PassEnds");

    @TempDir
    private Path scratch;

    /**
     * Together with {@link #protocolHoldsWhatItPromisesUnderPressure} and {@link #protocolHoldsWhatItPromisesToThoseWhoShareALoad},
     * each action of the specification is taken.
     */
    @Test
    void protocolHoldsWhatItPromisesWhateverHappens() throws Exception {
        TlcRun run = check("StampedeLease", DEADLINE);

        assertHolds(run, 73_000);
        Set<String> leftOut = new HashSet<>(UNDER_PRESSURE_ONLY);
        leftOut.addAll(OF_PLAIN_REQUESTS);
        assertThat(run.actionsNeverTaken()).as(run.output()).containsExactlyInAnyOrderElementsOf(leftOut);
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
        assertHolds(check("PressureEnds", DEADLINE), 292_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToProcessesOfTwoVersions() throws Exception {
        assertHolds(check("Versions", DEADLINE), 280_000);
    }

    @Test
    @Tag("proof")
    void protocolHoldsWhatItPromisesToThoseWhoAreWokenUp() throws Exception {
        assertHolds(check("WakeUp", DEADLINE), 103_000);
    }

    @Test
    void protocolHoldsWhatItPromisesToThoseWhoShareALoad() throws Exception {
        TlcRun run = check("Passengers", DEADLINE);

        assertHolds(run, 139_000);
        assertThat(run.actionsNeverTaken()).as(run.output()).doesNotContainAnyElementsOf(OF_PLAIN_REQUESTS);
    }

    @Test
    @Tag("chaos")
    void protocolHoldsWhatItPromisesInALargeFleet() throws Exception {
        assertHolds(check("Large", LONG_DEADLINE), 500_000);
    }

    @Test
    void specificationNamesTheScriptsOfTheStoreAndNoOthers() throws Exception {
        assertThat(matches("(\\w+\\.lua)", LeaseSpecification.text())).isEqualTo(scripts());
    }

    /** The bound is about two thirds of the actual number of states: a specification in which little can happen fails. */
    private static void assertHolds(TlcRun run, long atLeastStates) {
        assertThat(run.exitCode()).as(run.output()).isEqualTo(TlcRun.HOLDS);
        assertThat(run.output()).contains("No error has been found.");
        assertThat(run.distinctStates()).as(run.output()).isGreaterThanOrEqualTo(atLeastStates);
    }

    private TlcRun check(String configuration, Duration deadline) throws Exception {
        return LeaseSpecification.check(configuration, scratch, deadline);
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
}
