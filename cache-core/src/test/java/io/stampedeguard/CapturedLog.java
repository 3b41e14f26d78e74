package io.stampedeguard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** What is logged while it is open: the tests' logger writes to the standard error stream. */
final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    CapturedLog() {
        System.setErr(new PrintStream(bytes, true, UTF_8));
    }

    /** Tells the warnings that name a cache, without their stack traces. */
    List<String> warningsOf(String cache) {
        return bytes.toString(UTF_8)
                .lines()
                .filter(line -> line.contains("WARN") && line.contains("cache '" + cache + "'"))
                .toList();
    }

    /** Tells all that was logged. */
    String text() {
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
