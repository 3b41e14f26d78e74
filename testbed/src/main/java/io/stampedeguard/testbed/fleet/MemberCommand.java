package io.stampedeguard.testbed.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a member is started: with the Java and the class path of this JVM. */
final class MemberCommand {
    /**
     * Ctrl-C in a terminal reaches every process of the foreground. The members leave it to their parent, which ends
     * them in order; a signal that is ignored stays so in what {@code exec} puts in the shell's place.
     */
    private static final List<String> DEAF_TO_CTRL_C = List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");

    private final List<String> words = new ArrayList<>(DEAF_TO_CTRL_C);

    MemberCommand(Class<?> main, List<String> jvmOptions, List<String> arguments) {
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(jvmOptions);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        words.addAll(arguments);
    }

    Process start() {
        try {
            return new ProcessBuilder(words)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("could not start a member of the fleet", e);
        }
    }
}
