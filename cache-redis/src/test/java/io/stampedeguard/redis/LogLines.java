package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StandardError;
import io.stampedeguard.testkit.Fleet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lines that the threads of an action logged, on standard error, while it ran.
 *
 * @param lines the lines as they were written
 */
public record LogLines(List<String> lines) {
    private static final Map<OwnThreads, ByteArrayOutputStream> OPEN = new ConcurrentHashMap<>();

    static {
        StandardError.replace(Sorter::new);
    }

    public static LogLines of(Runnable action) {
        OwnThreads threads = new OwnThreads();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        OPEN.put(threads, written);
        try {
            threads.run(action);
        } finally {
            OPEN.remove(threads);
        }
        return new LogLines(written.toString(StandardCharsets.UTF_8).lines().toList());
    }

    /** Waits until the action that calls it has logged a line with a text, on any of its threads. */
    public static void await(String text) {
        Fleet.until(() -> ofCurrentThread()
                .map(written -> written.toString(StandardCharsets.UTF_8))
                .orElseThrow()
                .contains(text));
    }

    /** Returns the line with a text; fails unless there is exactly one. */
    public String only(String text) {
        List<String> found = lines.stream().filter(line -> line.contains(text)).toList();
        assertThat(found).as("with '%s' among %s", text, lines).hasSize(1);
        return found.get(0);
    }

    private static Optional<ByteArrayOutputStream> ofCurrentThread() {
        return OPEN.entrySet().stream()
                .filter(open -> open.getKey().haveCurrent())
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Gives each action what its threads write, and everything else to the original stream. */
    private static final class Sorter extends OutputStream {
        private final OutputStream before;

        Sorter(OutputStream before) {
            this.before = before;
        }

        @Override
        public void write(int octet) throws IOException {
            stream().write(octet);
        }

        @Override
        public void write(byte[] octets, int from, int length) throws IOException {
            stream().write(octets, from, length);
        }

        private OutputStream stream() {
            Optional<ByteArrayOutputStream> own = ofCurrentThread();
            return own.isPresent() ? own.get() : before;
        }
    }
}
