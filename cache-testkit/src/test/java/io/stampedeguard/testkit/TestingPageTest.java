package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The Java code of {@code docs/testing.md} consists of the classes in {@code example}, which are compiled and run. */
final class TestingPageTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Path EXAMPLES = Path.of("src", "test", "java", "io", "stampedeguard", "testkit", "example");

    @Test
    void examplesOfThePageAreTheCompiledOnes() throws IOException {
        List<String> shown = JAVA.matcher(Files.readString(Path.of("..", "docs", "testing.md")))
                .results()
                .map(block -> block.group(1))
                .toList();

        assertThat(shown).containsExactlyInAnyOrderElementsOf(compiled());
    }

    private static List<String> compiled() throws IOException {
        try (Stream<Path> sources = Files.list(EXAMPLES)) {
            return sources.filter(source -> source.toString().endsWith("Test.java"))
                    .map(TestingPageTest::withoutImports)
                    .toList();
        }
    }

    private static String withoutImports(Path source) {
        try {
            String text = Files.readString(source);
            return text.substring(text.indexOf("final class"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
