package io.stampedeguard.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the threads of an action logged, on standard error, while it ran.
 *
 * @param lines as they were written
 */
record LogLines(List<String> lines) {
    private static final Map<OwnThreads, OutputStream> OPEN = new ConcurrentHashMap<>();

    static {
        System.setErr(new PrintStream(new Sorter(System.err), true, StandardCharsets.UTF_8));
    }

    static LogLines of(Runnable action) {
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

    /** Gives each action what its threads write, and all else to the stream that was there before. */
    private static final class Sorter extends OutputStream {
        private final OutputStream before;

        Sorter(OutputStream before) {
            this.before = before;
        }

        @Override
        public void write(int octet) throws IOException {
            ofCurrentThread().write(octet);
        }

        @Override
        public void write(byte[] octets, int from, int length) throws IOException {
            ofCurrentThread().write(octets, from, length);
        }

        private OutputStream ofCurrentThread() {
            return OPEN.entrySet().stream()
                    .filter(open -> open.getKey().haveCurrent())
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(before);
        }
    }
}
