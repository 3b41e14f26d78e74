package io.stampedeguard.benchmarks.bench;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The help of {@code ./stampede}; and how {@code ./stampede bench} ends if peers on request cannot be built, in a copy of the project
 * without anything built.
 */
class StampedeScriptTest {
    @TempDir
    Path home;

    private record End(int exitCode, List<String> errors) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Could not transfer artifact com.alicp:jetcache-core:pom:2.7.8 from/to central: repo.example: Unknown host",
                "Could not resolve dependencies for project io.stampedeguard:jetcache",
                "Cannot access central in offline mode"
            })
    void withoutANetworkMissingDependenciesAreOneLineAndExitCode2(String report) throws Exception {
        End end = bench(report);

        assertThat(end.exitCode()).isEqualTo(2);
        assertThat(end.errors())
                .last()
                .asString()
                .matches(
                        "stampede: dependencies of benchmarks,benchmarks/peers/jetcache are missing, and cannot be downloaded \\(see .*/target/peers.log\\)");
    }

    @Test
    void anyOtherBuildFailureIsOneLineAndExitCode1() throws Exception {
        End end = bench("COMPILATION ERROR");

        assertThat(end.exitCode()).isEqualTo(1);
        assertThat(end.errors()).last().asString().matches("stampede: the build failed \\(see .*/target/peers.log\\)");
    }

    @Test
    void helpFitsEightyColumns() throws Exception {
        Path output = home.resolve("help.txt");
        Process help = new ProcessBuilder("/bin/sh", Path.of("..", "stampede").toString(), "--help")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        assertThat(help.waitFor()).isZero();
        assertThat(Files.readAllLines(output))
                .hasSizeGreaterThan(10)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    /** Runs the script with a build that prints something and fails. */
    private End bench(String report) throws Exception {
        Path script = Files.copy(Path.of("..", "stampede"), home.resolve("stampede"));
        executable(Files.writeString(home.resolve("mvnw"), "#!/bin/sh\necho '" + report + "'\nexit 1\n"));
        Path peer = Files.createDirectories(home.resolve("benchmarks/peers/jetcache"));
        Files.writeString(peer.resolve("pom.xml"), "<project/>");
        Path errors = home.resolve("errors.txt");
        ProcessBuilder command = new ProcessBuilder(
                        "/bin/sh", script.toString(), "bench", "--peers", "guarded,jetcache")
                .redirectError(errors.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        command.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = command.start();
        assertThat(process.waitFor(120, SECONDS)).isTrue();
        return new End(process.exitValue(), Files.readAllLines(errors));
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
