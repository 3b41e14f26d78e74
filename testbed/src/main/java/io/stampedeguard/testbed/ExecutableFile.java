package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A writer of programs that can be executed immediately. A process that is started while this JVM writes a file briefly
 * inherits the open file, and a file that is open for writing cannot be executed ("text file busy"). Therefore another
 * process, which starts no processes, writes the file.
 */
public final class ExecutableFile {
    private ExecutableFile() {}

    /**
     * Writes a program.
     *
     * @param file the file to write, in an existing directory; only the owner can execute it
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
