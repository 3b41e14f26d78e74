package io.stampedeguard.redis;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What was logged, on standard error, while something ran.
 *
 * @param lines as they were written
 */
record LogLines(List<String> lines) {
    static LogLines of(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return new LogLines(written.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
