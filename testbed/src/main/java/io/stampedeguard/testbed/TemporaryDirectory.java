package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A private directory that is deleted with all its content, at the latest when this JVM ends, also by a signal that it can catch.
 * While the JVM ends, none is created any more: nobody would delete it.
 */
record TemporaryDirectory(Path path) {
    /** A process that is being killed may still write a file. */
    private static final int ATTEMPTS = 10;

    private static final Set<TemporaryDirectory> ALL = new HashSet<>();
    private static boolean isEnding;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(TemporaryDirectory::deleteAll, "delete-temporary-directories"));
    }

    static TemporaryDirectory create(String prefix) {
        synchronized (ALL) {
            if (isEnding) {
                throw new IllegalStateException("no temporary directory is created while the JVM ends");
            }
            try {
                TemporaryDirectory directory = new TemporaryDirectory(Files.createTempDirectory(prefix));
                ALL.add(directory);
                return directory;
            } catch (IOException e) {
                throw new UncheckedIOException("could not create a temporary directory", e);
            }
        }
    }

    private static void deleteAll() {
        List<TemporaryDirectory> left;
        synchronized (ALL) {
            isEnding = true;
            left = List.copyOf(ALL);
        }
        left.forEach(TemporaryDirectory::delete);
    }

    void delete() {
        IOException failure = new IOException("it comes back");
        for (int attempt = 0; attempt < ATTEMPTS && Files.exists(path); attempt++) {
            try {
                deleteContent();
            } catch (IOException | UncheckedIOException e) {
                failure = e instanceof UncheckedIOException wrapped ? wrapped.getCause() : (IOException) e;
                if (!(failure instanceof DirectoryNotEmptyException || failure instanceof NoSuchFileException)) {
                    break;
                }
            }
        }
        if (Files.exists(path)) {
            throw new UncheckedIOException("could not delete " + path, failure);
        }
        synchronized (ALL) {
            ALL.remove(this);
        }
    }

    private void deleteContent() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
