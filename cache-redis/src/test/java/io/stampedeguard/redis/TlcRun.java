package io.stampedeguard.redis;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tlc2.TLC;

/**
 * One run of TLC, the model checker of TLA+, in a JVM of its own.
 *
 * @param exitCode of the JVM; {@link #NOT_ENDED} if it had to be ended
 * @param output everything it printed
 */
record TlcRun(int exitCode, String output) {
    static final int HOLDS = 0;
    static final int INVARIANT_VIOLATED = 12;
    static final int PROPERTY_VIOLATED = 13;
    static final int NOT_ENDED = -1;

    private static final Pattern DISTINCT = Pattern.compile("(\\d+) distinct states found, 0 states left on queue");
    private static final String COVERAGE = "The coverage statistics at";
    private static final Pattern NEVER_TAKEN = Pattern.compile("^<(\\w+) line .*>: \\d+:0$", Pattern.MULTILINE);

    /** How often each action was taken, reported each minute and at the end; a seventh of the time. */
    private static final List<String> COUNT_ACTIONS = List.of("-coverage", "1");

    /**
     * Checks a specification; blocks until TLC has ended, or is ended at the deadline.
     *
     * @param countsActions whether {@link #actionsNeverTaken} is of interest
     */
    static TlcRun of(
            Path specification,
            Path configuration,
            Path scratch,
            Duration deadline,
            boolean countsActions,
            String... jvmOptions)
            throws Exception {
        Path output = scratch.resolve("tlc.txt");
        List<String> command = new ArrayList<>(command(specification, configuration, scratch, jvmOptions));
        command.addAll(countsActions ? COUNT_ACTIONS : List.of());
        Process tlc = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Thread endWithUs = new Thread(tlc::destroyForcibly, "end-tlc");
        Runtime.getRuntime().addShutdownHook(endWithUs);
        try {
            boolean ended = tlc.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
            return new TlcRun(ended ? tlc.exitValue() : NOT_ENDED, Files.readString(output));
        } finally {
            tlc.destroyForcibly().waitFor();
            Runtime.getRuntime().removeShutdownHook(endWithUs);
        }
    }

    /** Returns how many states the search has found; 0 if it is incomplete. */
    long distinctStates() {
        return DISTINCT.matcher(output)
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    /** Returns which actions have not happened in any state, of a run that counted them. */
    List<String> actionsNeverTaken() {
        if (!output.contains(COVERAGE)) {
            throw new IllegalStateException("actions were not counted");
        }
        return NEVER_TAKEN
                .matcher(output.substring(output.lastIndexOf(COVERAGE)))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private static List<String> command(Path specification, Path configuration, Path scratch, String... jvmOptions)
            throws IOException, URISyntaxException {
        Path jar = Path.of(
                TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(jvmOptions));
        words.addAll(List.of(
                "-Xmx1g",
                "-XX:+UseParallelGC", // TLC warns about any other
                "-Djava.io.tmpdir=" + scratch, // it unpacks its own modules there
                "-cp",
                jar.toString(),
                TLC.class.getName(),
                "-workers",
                "2",
                "-lncheck", // liveness once, at the end
                "final",
                "-metadir",
                Files.createDirectories(scratch.resolve("states")).toString(),
                "-config",
                configuration.toAbsolutePath().toString(),
                specification.toAbsolutePath().toString()));
        return words;
    }
}
