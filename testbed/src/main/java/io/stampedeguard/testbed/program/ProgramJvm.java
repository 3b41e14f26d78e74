package io.stampedeguard.testbed.program;

import io.stampedeguard.testbed.fleet.InterruptibleCommand;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A program as its users run it, in a JVM of its own, with the class path of this one. For one thread. */
public final class ProgramJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final Path errors;

    private ProgramJvm(Process process, Path errors) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.errors = errors;
    }

    /**
     * Starts it.
     *
     * @param directory the directory for its files; temporary ones go to the subdirectory {@code temporary}
     */
    public static ProgramJvm start(Class<?> main, Path directory, String... arguments) throws IOException {
        return start(main, directory, List.of(), arguments);
    }

    /**
     * Starts it with more on its class path than this JVM has.
     *
     * @param directory the directory for its files; temporary ones go to the subdirectory {@code temporary}
     * @param added directories and jars, after the others
     */
    public static ProgramJvm start(Class<?> main, Path directory, List<Path> added, String... arguments)
            throws IOException {
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        Path temporary = Files.createDirectories(directory.resolve("temporary"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-Dstampede.redis=" + System.getProperty("stampede.redis", ""),
                "-cp",
                classPath(added),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ProgramJvm(
                new ProcessBuilder(InterruptibleCommand.of(command))
                        .redirectError(errors.toFile())
                        .start(),
                errors);
    }

    private static String classPath(List<Path> added) {
        return Stream.concat(
                        Stream.of(System.getProperty("java.class.path")),
                        added.stream().map(Path::toString))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** {@return all lines of standard output} Blocks until its end. */
    public List<String> lines() {
        return output.lines().toList();
    }

    /** {@return the first lines of standard output} Blocks until they are there. */
    public List<String> firstLines(int count) {
        return output.lines().limit(count).toList();
    }

    /**
     * {@return the exit code, after waiting for it}
     *
     * @throws IllegalStateException if it does not end within two minutes
     */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the program does not end");
        }
        return process.exitValue();
    }

    /** {@return its output on standard error} */
    public String errors() throws IOException {
        return Files.readString(errors);
    }

    /** {@return the handle of its process} */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** Ends it politely, so that it can clean up. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, 30, TimeUnit.SECONDS).join();
        process.destroyForcibly().onExit().join();
    }
}
