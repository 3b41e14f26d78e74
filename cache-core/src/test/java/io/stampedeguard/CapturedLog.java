package io.stampedeguard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The log lines that are written while it is open, by this test and by tests that run at the same time: a test searches
 * for a unique name.
 * The tests' logger writes to the standard error stream, which stays redirected after the first use.
 */
public final class CapturedLog implements AutoCloseable {
    private static final Set<CapturedLog> OPEN = ConcurrentHashMap.newKeySet();

    static {
        StandardError.replace(Tee::new);
    }

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Writes to the original stream, and to all open logs. */
    private static final class Tee extends OutputStream {
        private final PrintStream before;

        Tee(PrintStream before) {
            this.before = before;
        }

        @Override
        public void write(int octet) {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] octets, int from, int length) {
            before.write(octets, from, length);
            OPEN.forEach(log -> log.bytes.write(octets, from, length));
        }
    }

    public CapturedLog() {
        OPEN.add(this);
    }

    /** Returns the warnings that name a cache, without their stack traces. */
    public List<String> warningsOf(String cache) {
        return warningsWith("cache '" + cache + "'");
    }

    /** Returns the warnings that contain some words, without their stack traces. */
    public List<String> warningsWith(String words) {
        return text().lines()
                .filter(line -> line.contains("WARN") && line.contains(words))
                .toList();
    }

    /** Returns everything that was logged. */
    public String text() {
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() {
        OPEN.remove(this);
    }
}
