package io.stampedeguard.demo;

import io.stampedeguard.testbed.program.ProgramJvm;
import java.io.IOException;
import java.nio.file.Path;

/** {@code ./stampede demo --serve} in a JVM of its own, whose processes are not children of this one. */
public record ServedDemo(ProgramJvm program, String url) implements AutoCloseable {
    /** Starts it on a free port, and waits until it serves. */
    public static ServedDemo start(Path directory) throws IOException {
        ProgramJvm program = ProgramJvm.start(Main.class, directory, "--serve", "--port", "0");
        String first = program.firstLines(1).stream().findFirst().orElse("");
        return new ServedDemo(program, first.replaceFirst("The page: (\\S+) .*", "$1"));
    }

    @Override
    public void close() {
        program.close();
    }
}
