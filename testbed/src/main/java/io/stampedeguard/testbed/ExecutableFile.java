package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Writes programs that can be executed at once. A process that is started while this JVM writes a file inherits the open
 * file for a moment, and a file that is open for writing cannot be executed ("text file busy"). So another process, which
 * starts none, makes the file.
 */
public final class ExecutableFile {
    private ExecutableFile() {}

    /**
     * Writes a program.
     *
     * @param program its bytes; not closed
     * @param file where it is to be, in a directory that exists; only the owner can execute it
     * @throws IOException if it cannot be written
     */
    public static void write(InputStream program, Path file) throws IOException {
        Path written = file.resolveSibling(file.getFileName() + ".written");
        Files.copy(program, written);
        Process copy = new ProcessBuilder("cp", written.toString(), file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (copy.onExit().join().exitValue() != 0) {
            throw new IOException("could not copy " + written + " to " + file);
        }
        Files.delete(written);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
