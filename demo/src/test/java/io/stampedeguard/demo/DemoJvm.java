package io.stampedeguard.demo;

import io.stampedeguard.testbed.fleet.HearingCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The demo as its users run it: a JVM of its own. */
final class DemoJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final Path errors;

    private DemoJvm(Process process, Path errors) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.errors = errors;
    }

    static DemoJvm start(Path directory, String... arguments) throws IOException {
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        Path temporary = Files.createDirectories(directory.resolve("temporary"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-Dstampede.redis=" + System.getProperty("stampede.redis", ""),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        return new DemoJvm(
                new ProcessBuilder(HearingCommand.of(command))
                        .redirectError(errors.toFile())
                        .start(),
                errors);
    }

    /** Standard output, read to its end. */
    List<String> lines() {
        return output.lines().toList();
    }

    /** Waits for the first lines of standard output. */
    List<String> firstLines(int count) {
        return output.lines().limit(count).toList();
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            throw new AssertionError("the demo does not end");
        }
        return process.exitValue();
    }

    String errors() throws IOException {
        return Files.readString(errors);
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** Lets it tidy up behind itself. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, 30, TimeUnit.SECONDS).join();
        process.destroyForcibly().onExit().join();
    }
}
