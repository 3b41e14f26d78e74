package io.stampedeguard.testbed.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true);
    private final AtomicLong nanos = new AtomicLong(-1);

    @Test
    void withoutATerminalALongSubjectGetsALineInEachInterval() {
        Progress progress = new Progress(out, false, Duration.ofSeconds(10), nanos::get);
        progress.at("one");
        nanos.addAndGet(Duration.ofSeconds(10).toNanos() - 1);
        progress.at("two");
        nanos.incrementAndGet();
        progress.at("three");
        progress.at("four");
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        progress.at("five");
        progress.clear();
        assertThat(written.toString().lines()).containsExactly("three", "five");
    }

    @Test
    void withoutAnIntervalOnlySubjectsAreShown() {
        Progress progress = new Progress(out, false);
        progress.now("first");
        progress.at(1, 2, "half");
        progress.clear();
        assertThat(written.toString().lines()).containsExactly("first");
    }

    @Test
    void aTerminalShowsOneLine() {
        Progress progress = new Progress(out, true, Duration.ofSeconds(10), nanos::get);
        progress.now("first");
        progress.at("half");
        progress.clear();
        assertThat(written).hasToString("\r\u001B[Kfirst\r\u001B[Kfirst  half\r\u001B[K");
    }
}
