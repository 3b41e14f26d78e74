package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each promise of {@code docs/promises.md} names its tests, which exist. */
final class PromisesPageTest {
    private static final Pattern PROMISE = Pattern.compile("(?ms)^## P\\d: .*?(?=^## )");

    private static final Pattern TESTS = Pattern.compile("(?m)^Tests: (.*)\\.$");

    private static final Pattern TEST = Pattern.compile("`(\\w+)`");

    @Test
    void testsOfEachPromiseExist() throws IOException {
        Set<String> existing = Stream.of("cache-core", "cache-redis", "cache-spring")
                .flatMap(PromisesPageTest::testClasses)
                .collect(Collectors.toSet());

        List<String> promises = PROMISE.matcher(Files.readString(Path.of("..", "docs", "promises.md")))
                .results()
                .map(MatchResult::group)
                .toList();

        assertThat(promises).hasSize(8);
        assertThat(promises)
                .allSatisfy(promise -> assertThat(tests(promise)).isNotEmpty().isSubsetOf(existing));
    }

    private static List<String> tests(String promise) {
        return TESTS.matcher(promise)
                .results()
                .flatMap(line -> TEST.matcher(line.group(1)).results())
                .map(test -> test.group(1))
                .toList();
    }

    private static Stream<String> testClasses(String module) {
        try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "test", "java"))) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Test.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
