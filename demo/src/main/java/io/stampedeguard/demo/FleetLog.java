package io.stampedeguard.demo;

import java.io.IOException;
import java.io.OutputStream;
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
            System.setErr(new PrintStream(stream(file), true, StandardCharsets.UTF_8));
        }
        return log;
    }

    private static OutputStream stream(Path file) throws IOException {
        try {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            return Files.newOutputStream(file);
        } catch (IOException e) {
            throw new IOException("the log of the processes cannot be written to " + file + " (--log)", e);
        }
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
