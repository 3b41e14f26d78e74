package io.stampedeguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that the build made, alone in a directory. */
@Tag("jar")
class JarTest {
    private static final Path JAR = Path.of("target", "stampede-guard-cli.jar");
    private static final long MOST_BYTES = 8_000_000;

    @TempDir
    Path directory;

    private ProgramRun run(String... words) throws Exception {
        return run(Map.of(), words);
    }

    private ProgramRun run(Map<String, String> variables, String... words) throws Exception {
        Path jar = directory.resolve("stampede-guard-cli.jar");
        if (!Files.exists(jar)) {
            Files.copy(JAR, jar);
        }
        Path output = directory.resolve("output.txt");
        Path errors = directory.resolve("errors.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                jar.getFileName().toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            return new ProgramRun(process.exitValue(), Files.readAllLines(output), Files.readString(errors));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void helpShowsUsageAndEachCommandAndVersionShowsTheBuild() throws Exception {
        ProgramRun help = run("--help");
        assertThat(help.code()).isZero();
        assertThat(help.lines()).first().isEqualTo("Usage: java -jar stampede-guard-cli.jar COMMAND [options]");
        assertThat(String.join("\n", help.lines()))
                .contains("doctor", "evict", "hot", "inspect", "invalidate", "lease", "list");
        assertThat(help.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(run("doctor", "--help").lines())
                .anyMatch(line -> line.startsWith("Usage: java -jar stampede-guard-cli.jar doctor "));

        ProgramRun version = run("--version");
        assertThat(version.code()).isZero();
        assertThat(version.lines()).singleElement().asString().matches("stampede \\d+\\.\\d+\\.\\d+\\S*");
    }

    @Test
    void wrongCommandOrNoneIsExitCode2() throws Exception {
        assertThat(run("remove"))
                .isEqualTo(new ProgramRun(
                        2,
                        List.of(),
                        "stampede: unknown command 'remove' (see java -jar stampede-guard-cli.jar --help)%n"
                                .formatted()));
        assertThat(run().code()).isEqualTo(2);
        assertThat(run("list").errors())
                .isEqualTo(
                        "stampede list: Missing required parameter: 'CACHE' (see java -jar stampede-guard-cli.jar list --help)%n"
                                .formatted());
    }

    @Test
    void emptyVariableCountsAsNone() throws Exception {
        assertThat(run(Map.of("STAMPEDE_REDIS", ""), "inspect", "products:1").errors())
                .doesNotContain("STAMPEDE_REDIS");
    }

    @Test
    void commandsRunWithNothingBesideTheJar() throws Exception {
        try (RedisProcess redis = RedisServer.startProcess()) {
            ProgramRun doctor = run("doctor", "--slow", "600000", "--json", "--redis", redis.uri());
            assertThat(doctor.errors()).isEmpty();
            assertThat(doctor.code()).as(doctor.toString()).isZero();
            assertThat(doctor.lines()).hasSize(8);
            assertThat(run("invalidate", "products:1", "--redis", redis.uri()).code())
                    .isZero();
            assertThat(run("inspect", "products:1", "--redis", redis.uri()).lines())
                    .containsExactly("'products:1'", "  entry:   absent", "  lease:   free");
        }
    }

    @Test
    void jarHasTheLicensesAndNoServer() throws Exception {
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            List<String> names = jar.stream().map(ZipEntry::getName).toList();
            assertThat(names).doesNotHaveDuplicates().contains("LICENSE", "META-INF/LICENSE", "META-INF/NOTICE");
            assertThat(names)
                    .noneMatch(name -> name.contains("redis-server") || name.contains("testcontainers"))
                    .noneMatch(name -> name.endsWith("module-info.class"));
            assertThat(new String(jar.getInputStream(jar.getEntry("META-INF/LICENSE.txt"))
                                    .readAllBytes())
                            .lines()
                            .collect(Collectors.joining(" ")))
                    .contains("Jedis", "QOS.ch", "Permission is hereby granted");
            assertThat(Files.size(JAR)).isLessThan(MOST_BYTES);
        }
    }
}
