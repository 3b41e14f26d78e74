package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A launcher of {@code redis-server} processes, one after another, with the same arguments. Not thread-safe. */
final class ServerLaunch {
    private static final String SENTINEL = "--sentinel";
    private static final List<String> READY = List.of("Ready to accept connections", "Sentinel ID is");
    private static final int ATTEMPTS = 5;
    private static final long READY_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long PROBE_EACH_MILLIS = 5;

    private final List<String> template;
    private final Path log;
    private List<String> command = List.of();
    private @Nullable Process process;

    ServerLaunch(Path binary, Path directory, List<String> extraArguments) {
        template = new ArrayList<>(List.of(binary.toString()));
        if (extraArguments.contains(SENTINEL)) {
            template.add(emptyFile(directory.resolve("sentinel.conf")).toString());
        }
        template.addAll(List.of("--port", RedisProcess.FREE_PORT));
        template.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
        template.addAll(List.of("--dir", directory.toString()));
        template.addAll(extraArguments);
        log = directory.resolve("redis.log");
    }

    /** A Sentinel keeps its state in a file, and does not start without one. */
    private static Path emptyFile(Path file) {
        try {
            return Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException("could not create " + file, e);
        }
    }

    /** A free port may be taken before the server binds it; then another port is tried. */
    void onFreePort() {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            command = template.stream()
                    .map(word -> word.equals(RedisProcess.FREE_PORT) ? Integer.toString(FreePort.find()) : word)
                    .toList();
            if (answersAfterStart()) {
                return;
            }
        }
        throw new IllegalStateException("redis-server did not start in " + ATTEMPTS + " attempts: " + logged());
    }

    void again() {
        if (!answersAfterStart()) {
            throw new IllegalStateException("redis-server did not start again: " + logged());
        }
    }

    /** Returns whether it answers; {@code false} if its port was taken. */
    private boolean answersAfterStart() {
        Process started = launch();
        process = started;
        int port = portOf("--port");
        long start = System.nanoTime();
        while (System.nanoTime() - start < READY_WITHIN_NANOS) {
            // The log first: a PING alone might be answered by another process that took the port.
            if (READY.stream().anyMatch(logged()::contains) && answers(port)) {
                return true;
            }
            if (exitsWithinMillis(started, PROBE_EACH_MILLIS)) {
                if (logged().contains("Failed listening on port")) {
                    return false;
                }
                throw new IllegalStateException("redis-server did not start: " + logged());
            }
        }
        kill();
        throw new IllegalStateException("redis-server does not answer: " + logged());
    }

    private Process launch() {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("could not execute redis-server", e);
        }
    }

    private static boolean answers(int port) {
        try {
            Ping.send("127.0.0.1", port);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean exitsWithinMillis(Process process, long millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting redis-server", e);
        }
    }

    /** SIGKILL, since a paused process would not see SIGTERM; there is nothing to save. */
    void kill() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    long pid() {
        if (process == null) {
            throw new IllegalStateException("redis-server was not started");
        }
        return process.pid();
    }

    int portOf(String argument) {
        int at = command.lastIndexOf(argument);
        if (at == -1) {
            throw new IllegalStateException("redis-server was given no " + argument);
        }
        return Integer.parseInt(command.get(at + 1));
    }

    private String logged() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return "no log: " + e.getMessage();
        }
    }
}
