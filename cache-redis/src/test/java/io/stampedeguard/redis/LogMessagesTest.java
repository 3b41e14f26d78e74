package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.LogCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No line in the log has a placeholder that nothing fills, and no argument is lost. */
final class LogMessagesTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Pattern CALL = Pattern.compile("\\b(LOG|log)\\s*\\.\\s*(error|warn|info|debug|trace)\\(");

    @Test
    void eachMessageHasAnArgumentForEachPlaceholder() throws IOException {
        LogCalls calls = LogCalls.below(SOURCES);

        assertThat(calls.faults()).isEmpty();
        assertThat(calls.messages()).as("all were looked at").hasSize(callsByText());
    }

    private static int callsByText() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            int calls = 0;
            for (Path source : sources) {
                calls += (int) CALL.matcher(Files.readString(source)).results().count();
            }
            return calls;
        }
    }
}
