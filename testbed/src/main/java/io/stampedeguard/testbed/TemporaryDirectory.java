package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A private directory that is deleted with all its content. */
record TemporaryDirectory(Path path) {
    static TemporaryDirectory create(String prefix) {
        try {
            return new TemporaryDirectory(Files.createTempDirectory(prefix));
        } catch (IOException e) {
            throw new UncheckedIOException("could not create a temporary directory", e);
        }
    }

    static TemporaryDirectory untilExit(String prefix) {
        TemporaryDirectory directory = create(prefix);
        Runtime.getRuntime().addShutdownHook(new Thread(directory::delete, "delete-" + directory.path.getFileName()));
        return directory;
    }

    void delete() {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not delete " + path, e);
        }
    }
}
