package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.platform.commons.support.AnnotationSupport;

/** Each row of docs/failures.md has a test, and each test a row. */
final class FailuresPageTest {
    @Test
    void rowsAndTestsAreTheSame() throws IOException {
        Set<String> rows = Pattern.compile("(?m)^\\|.*\\| `(\\w+)` \\|$")
                .matcher(Files.readString(Path.of("..", "docs", "failures.md")))
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toSet());

        Set<String> tests = Arrays.stream(FailuresTest.class.getDeclaredMethods())
                .filter(method -> AnnotationSupport.isAnnotated(method, ParameterizedTest.class))
                .map(method -> method.getName())
                .collect(Collectors.toSet());

        assertThat(rows).isEqualTo(tests);
    }
}
