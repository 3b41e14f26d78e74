package io.stampedeguard.testbed.program;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;

/**
 * What a program has written, and how it ended. <em>Immutable.</em>
 *
 * @param code its exit code
 * @param lines the lines of its standard output
 * @param errors its output on standard error
 */
public record ProgramRun(int code, List<String> lines, String errors) {
    public ProgramRun {
        lines = List.copyOf(lines);
    }

    /** Runs a command in this JVM, as {@link Program} runs it. */
    public static ProgramRun here(String name, Object command, String... arguments) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        int code = Program.commandLine(name, command)
                .setOut(new PrintWriter(output))
                .setErr(new PrintWriter(errors))
                .execute(arguments);
        return new ProgramRun(code, output.toString().lines().toList(), errors.toString());
    }

    /**
     * Runs a program in a JVM of its own.
     *
     * @throws IllegalStateException if it does not end within two minutes after its last line
     */
    public static ProgramRun inOwnJvm(Class<?> main, Path directory, String... arguments)
            throws IOException, InterruptedException {
        try (ProgramJvm program = ProgramJvm.start(main, directory, arguments)) {
            List<String> lines = program.lines();
            return new ProgramRun(program.exitCode(), lines, program.errors());
        }
    }

    /** {@return the run of a command with a wrong option: one line, and exit code 2} */
    public static ProgramRun ofWrongOption(String name, String complaint) {
        return new ProgramRun(2, List.of(), "%1$s: %2$s (see ./%1$s --help)%n".formatted(name, complaint));
    }
}
