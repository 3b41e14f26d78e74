package io.stampedeguard;

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

    @Test
    void callsThatDoNotMatchAreFound() throws IOException {
        LogCalls calls = LogCalls.in("Broken", """
                class Broken {
                    private static final String WORDS = "cache '{}': ";
                    private final org.slf4j.Logger log = org.slf4j.LoggerFactory.getLogger("broken");

                    void log(String cache, IllegalStateException e, Object any) {
                        log.warn(WORDS + "queued from now on: {}", cache, e);
                        log.warn("{} and {}", cache);
                        log.info("nothing to fill", cache);
                        log.error("two: {} {}", cache, any, any);
                        log.warn(cache + " is not a constant");
                        log.warn("filled, but unguarded: {} {}", cache, any, e);
                        log.warn("right: {}", e.getMessage());
                        log.debug("and this");
                    }
                }
                """);

        assertThat(calls.messages()).hasSize(7);
        assertThat(calls.faults()).hasSize(7);
        assertThat(calls.faults().get(0)).startsWith("an exception that is not logged by CallbackLog");
        assertThat(calls.faults().get(1)).startsWith("2 placeholders, but 1 arguments");
    }
}
