package io.stampedeguard.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The specification of the lease protocol, {@code docs/protocol}, and its configurations. */
final class LeaseSpecification {
    static final Path DIRECTORY = Path.of("..", "docs", "protocol");

    private static final Path SPECIFICATION = DIRECTORY.resolve("StampedeLease.tla");

    private LeaseSpecification() {}

    /** Checks a configuration, in a JVM of its own; the deadline is against a TLC that hangs. */
    static TlcRun check(String configuration, Path scratch, Duration deadline, String... jvmOptions) throws Exception {
        return TlcRun.of(SPECIFICATION, DIRECTORY.resolve(configuration + ".cfg"), scratch, deadline, jvmOptions);
    }

    static String text() throws IOException {
        return Files.readString(SPECIFICATION);
    }

    static String configuration(String name) throws IOException {
        return Files.readString(DIRECTORY.resolve(name + ".cfg"));
    }

    /** Returns what the group of a pattern matches, each once. */
    static Set<String> matches(String pattern, CharSequence text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }
}
