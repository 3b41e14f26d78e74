package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** A class of the library with one change, in a directory that precedes the library on a class path. */
final class BrokenClass {
    private static final Path SOURCES = Path.of("../cache-core/src/main/java");

    private BrokenClass() {}

    /** Compiles a class in which text that occurs once is replaced; fails if it does not occur. */
    static void compile(Path front, String name, String part, String replacement) throws IOException {
        String file = name.replace('.', '/') + ".java";
        String whole = Files.readString(SOURCES.resolve(file));
        assertThat(whole.split(Pattern.quote(part), -1))
                .as("%s around what is to be replaced", name)
                .hasSize(2);
        Path source = front.resolve(file);
        Files.createDirectories(source.getParent());
        Files.writeString(source, whole.replace(part, replacement));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int failed = compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                front.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                source.toString());
        assertThat(failed).as("exit code of the compiler").isZero();
    }
}
