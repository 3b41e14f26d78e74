package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/operations.md} documents for each advice what it compares, when it is given, and what to change. */
final class AdvicePageTest {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\|[^|]+\\|[^|]+\\|[^|]+\\|$");

    @Test
    void tableHasEachAdviceOnceAndNoOther() throws IOException {
        List<String> rows = ROW.matcher(Files.readString(PAGE))
                .results()
                .map(row -> row.group(1))
                .toList();

        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(EventType.values())
                        .map(Enum::name)
                        .filter(name -> name.startsWith("ADVICE_"))
                        .toList());
    }
}
