package io.stampedeguard.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file to which everything goes that this JVM and its members write to standard error, while the log is open: warnings of
 * the caches and stack traces. Without a file, standard error stays as it is.
 */
final class FleetLog implements AutoCloseable {
    private final PrintStream terminal = System.err;
    private final @Nullable Path file;

    private FleetLog(@Nullable Path file) {
        this.file = file;
    }

    /** Opens the log; {@code file} is overwritten. */
    static FleetLog open(@Nullable Path file) throws IOException {
        FleetLog log = new FleetLog(file);
        if (file != null) {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            System.setErr(new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8));
        }
        return log;
    }

    /** Returns the file, relative to the current directory if it is below it; {@code null} if there is none. */
    @Nullable
    Path file() {
        if (file == null) {
            return null;
        }
        Path here = Path.of("").toAbsolutePath();
        Path there = file.toAbsolutePath();
        return there.startsWith(here) ? here.relativize(there) : there;
    }

    @Override
    public void close() {
        if (file != null) {
            System.err.close();
            System.setErr(terminal);
        }
    }
}
