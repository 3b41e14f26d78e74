package io.stampedeguard.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutableFileTest {
    private static final byte[] PROGRAM = "#!/bin/sh\nexit 42\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private Path directory;

    @Test
    void programCanBeExecutedAtOnceThoughOtherProcessesAreStartedMeanwhile() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread starting = new Thread(() -> startProcessesUntil(over));
        starting.start();
        try {
            for (int i = 0; i < 50; i++) {
                Path file = directory.resolve("program-" + i);
                ExecutableFile.write(new ByteArrayInputStream(PROGRAM), file);
                assertThat(exitCode(file.toString())).isEqualTo(42);
            }
        } finally {
            over.set(true);
            starting.join();
        }
        try (var files = Files.list(directory)) {
            assertThat(files).as("nothing else is left").hasSize(50);
        }
    }

    private static void startProcessesUntil(AtomicBoolean over) {
        while (!over.get()) {
            exitCode("true");
        }
    }

    private static int exitCode(String program) {
        try {
            return new ProcessBuilder(program).start().waitFor();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
