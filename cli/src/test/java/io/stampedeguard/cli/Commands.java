package io.stampedeguard.cli;

import io.stampedeguard.testbed.program.ProgramRun;
import java.util.Arrays;
import java.util.stream.Stream;

/** The operators' commands in this JVM. */
final class Commands {
    private Commands() {}

    /** Runs a command with all of its arguments; the first is its name. */
    static ProgramRun run(String... arguments) {
        return ProgramRun.here(
                "stampede " + arguments[0],
                Main.command(arguments[0]),
                Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    /** Runs a command on a server. */
    static ProgramRun on(String uri, String... arguments) {
        return run(Stream.concat(Arrays.stream(arguments), Stream.of("--redis", uri))
                .toArray(String[]::new));
    }
}
