package io.stampedeguard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** What is logged while it is open: the tests' logger writes to the standard error stream. */
public final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    public CapturedLog() {
        System.setErr(new PrintStream(bytes, true, UTF_8));
    }

    /** Tells the warnings that name a cache, without their stack traces. */
    List<String> warningsOf(String cache) {
        return warningsWith("cache '" + cache + "'");
    }

    /** Tells the warnings that have some words in them, without their stack traces. */
    public List<String> warningsWith(String words) {
        return text().lines()
                .filter(line -> line.contains("WARN") && line.contains(words))
                .toList();
    }

    /** Tells all that was logged. */
    public String text() {
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
