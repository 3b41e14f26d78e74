package io.stampedeguard.testbed.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The lines of a stream of another process. */
final class Lines {
    private Lines() {}

    /** Reads until the end, in the midst of a line if the process is killed; a broken pipe is an end, too. */
    static void read(InputStream in, Consumer<String> each) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                each.accept(line);
            }
        } catch (IOException gone) {
            // How a process has ended is reported elsewhere.
        }
    }
}
