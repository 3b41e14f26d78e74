package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.LogCalls;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** No line in the log has a placeholder that nothing fills, and no argument is lost. */
final class LogMessagesTest {
    private static final Path SOURCES = Path.of("src", "main", "java");

    @Test
    void eachMessageHasAnArgumentForEachPlaceholder() throws IOException {
        LogCalls calls = LogCalls.below(SOURCES);

        assertThat(calls.faults()).isEmpty();
        assertThat(calls.messages()).as("all were looked at").hasSize(LogCalls.countByText(SOURCES));
    }
}
