package io.stampedeguard.testbed;

import io.stampedeguard.testbed.fleet.InterruptibleCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM of its own that runs {@link ServerOwner} or a similar program. */
public final class OwnerJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final Path errors;

    private OwnerJvm(Process process, Path errors) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.errors = errors;
    }

    static OwnerJvm start(Path directory, String wish, Map<String, String> environment) throws IOException {
        return start(directory, ServerOwner.class, wish, environment);
    }

    public static OwnerJvm start(Path directory, Class<?> owner, String wish, Map<String, String> environment)
            throws IOException {
        Path temporary = Files.createDirectories(directory.resolve("temporary"));
        Path errors = directory.resolve("errors");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // it lives briefly
        command.add("-Dstampede.redis=" + wish);
        command.add("-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), owner.getName()));
        ProcessBuilder builder = new ProcessBuilder(InterruptibleCommand.of(command)).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        return new OwnerJvm(builder.start(), errors);
    }

    public String nextLine() throws IOException {
        return output.readLine();
    }

    public void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    public int exitCode() throws InterruptedException {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError("the JVM does not end");
        }
        return process.exitValue();
    }

    String errors() throws IOException {
        return Files.readString(errors);
    }

    /** Ends it regularly, so that its server ends as well. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit().completeOnTimeout(process, 30, TimeUnit.SECONDS).join();
        output.close();
        process.destroyForcibly().onExit().join();
    }
}
