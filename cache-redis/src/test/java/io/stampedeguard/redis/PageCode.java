package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/** The Java code of a documentation page, made executable. */
public final class PageCode {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private PageCode() {}

    /** Returns the first Java code of a page. */
    public static String of(Path page) throws IOException {
        return allOf(page).get(0);
    }

    /** Returns all Java code of a page, in its order, at least one piece. */
    static List<String> allOf(Path page) throws IOException {
        List<String> codes = JAVA.matcher(Files.readString(page))
                .results()
                .map(java -> java.group(1))
                .toList();
        assertThat(codes).as("Java code of %s", page).isNotEmpty();
        return codes;
    }

    /** Replaces the page's server by another one. */
    public static String withServer(String code, String named, String server) {
        assertThat(code).contains(named);
        return code.replace(named, server);
    }

    /** Replaces the page's server by another one, whose answers are waited for as long as a busy machine may take. */
    public static String withPatience(String code, String named, String server) {
        return withServer(code, "\"" + named + "\"", "\"" + server + "\", io.stampedeguard.redis.SharedRedis.PATIENT");
    }

    /** Compiles a class and calls its public static method {@code run}. */
    public static Object run(Path directory, String className, String program) throws Exception {
        Path source = Files.writeString(directory.resolve(className + ".java"), program);
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", System.getProperty("java.class.path"), source.toString());
        assertThat(failed).as("compiler's exit code").isZero();
        try (URLClassLoader classes =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, PageCode.class.getClassLoader())) {
            return classes.loadClass(className).getMethod("run").invoke(null);
        }
    }

    /** How a program ended: what it printed, without line ends around it. */
    record Ended(int exitCode, String output, String errors) {}

    /** Runs a complete program in a JVM of its own, from its source file, and returns what it prints. */
    static String launch(Path directory, String className, String program) throws Exception {
        Ended ended = end(directory, className, program);
        assertThat(ended.exitCode())
                .as("exit code of the program: %s", ended.errors())
                .isZero();
        return ended.output();
    }

    /** Runs a complete program in a JVM of its own, from its source file, to its end. */
    static Ended end(Path directory, String className, String program) throws Exception {
        Path source = Files.writeString(directory.resolve(className + ".java"), program);
        Path errors = directory.resolve("errors.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        source.toString())
                .redirectError(errors.toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output.strip(), Files.readString(errors));
    }
}
