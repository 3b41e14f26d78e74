package io.stampedeguard.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.scenario.Scenarios;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramJvm;
import io.stampedeguard.testbed.program.ProgramRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.RedisClient;

@Order(4)
@Execution(ExecutionMode.CONCURRENT) // each test waits for a program with processes of its own
class DemoEndTest {
    /** At least the database and two members; Redis may be a container. */
    private static final int CHILDREN = 3;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --no-such-option       | Unknown option: '--no-such-option'
                    --seconds many         | Invalid value for option '--seconds': 'many' is not an int
                    --processes 0          | --processes 0 is not from 1 to 64
                    --scenario clod        | --scenario 'clod' is none of cold, expiry, avalanche, replay, crash, penetration, outage
                    --redis http://a:b@c   | --redis is not a Redis URI: the scheme 'http' is neither redis, redis-sentinel, nor redis-cluster, with rediss for TLS in each; expected redis://[user:password@]host[:port][/database]
                    --redis redis://a:b@h:99999 | --redis is not a Redis URI: the port 99999 is not between 1 and 65535; expected redis://[user:password@]host[:port][/database]
                    --redis redis-cluster://h | --redis is not the URI of a single server: expected redis://[user:password@]host[:port][/database]
                    --redis redis://h:1/x  | --redis is not a Redis URI: the database '/x' after the host is not a number; expected redis://[user:password@]host[:port][/database]
                    --jdbc-user me         | --jdbc-user needs --jdbc-url
                    --trace no-such-file   | --trace no-such-file is not a readable xz file
                    --svg a --mode plain   | --svg draws scenario cold in modes plain and guarded: include them
                    --mode guarded-near --scenario cold | --mode guarded-near is only for scenario expiry, outage: include that scenario
                    --mode guarded-filter --scenario cold,crash | --mode guarded-filter is only for scenario penetration: include that scenario
                    """)
    void aWrongOptionIsOneLineAndExitCode2(String options, String complaint) {
        assertThat(ProgramRun.here("stampede demo", new DemoCommand(), options.split(" ")))
                .isEqualTo(ProgramRun.ofWrongOption("stampede demo", complaint));
    }

    @Test
    void unreachableRedisIsNamedByTheTypedOption() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(Main.class, directory, "--redis", "redis://127.0.0.1:1")) {
            assertThat(demo.exitCode()).isEqualTo(1);
            assertThat(demo.errors()).contains("stampede demo: no Redis answers at 127.0.0.1:1 (--redis)");
        }
    }

    @Test
    void redisThatRefusesIsOneLineWithTheReason() throws Exception {
        try (RedisProcess server = RedisServer.startProcess("--requirepass", "right")) {
            String address = "127.0.0.1:" + server.port();
            assertThat(errorsOf("--redis", "redis://:wrong@" + address))
                    .contains("stampede demo: cannot use the Redis given by --redis, at " + address, ": WRONGPASS ")
                    .doesNotContain("wrong@");
            assertThat(errorsOf("--redis", "redis://" + address))
                    .contains("stampede demo: cannot use the Redis given by --redis, at " + address, ": NOAUTH ");
        }
    }

    @Test
    void clusterIsRefusedBeforehand() throws Exception {
        try (RedisProcess server = RedisServer.startProcess("--cluster-enabled", "yes")) {
            assertThat(errorsOf("--redis", server.uri()))
                    .contains("stampede demo: the Redis given by --redis, at 127.0.0.1:" + server.port()
                            + ", is in cluster mode, which the demo does not support");
        }
    }

    @Test
    void logThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file")).resolve("demo.log");
        assertThat(errorsOf("--log", file.toString()))
                .contains("stampede demo: the log of the processes cannot be written to " + file + " (--log)");
    }

    private String errorsOf(String... options) throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(Main.class, directory, options)) {
            assertThat(demo.exitCode()).isEqualTo(1);
            return demo.errors();
        }
    }

    @Test
    void ctrlCLeavesNoProcessAndNoFileBehind() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--json",
                "--scenario",
                "cold,expiry",
                "--seconds",
                "600",
                "--processes",
                "2")) {
            // Both lines of scenario cold were written, so everything has started and scenario expiry is running.
            demo.firstLines(2);
            List<ProcessHandle> children = demo.handle().descendants().toList();
            assertThat(children).hasSizeGreaterThanOrEqualTo(CHILDREN);

            new ProcessBuilder("kill", "-INT", Long.toString(demo.handle().pid()))
                    .start()
                    .waitFor();

            assertThat(demo.exitCode()).isEqualTo(130);
            for (ProcessHandle child : children) {
                child.onExit().get(120, SECONDS);
            }
            assertThat(directory.resolve("temporary")).isEmptyDirectory();
        }
    }

    @Test
    void memberThatDiesIsNamedWithThePlaceOfTheLog() throws Exception {
        Path log = directory.resolve("demo.log");
        try (ProgramJvm demo = ProgramJvm.start(
                Main.class,
                directory,
                "--quick",
                "--json",
                "--scenario",
                "cold,expiry",
                "--seconds",
                "600",
                "--processes",
                "2",
                "--log",
                log.toString())) {
            demo.firstLines(2);
            ProcessHandle member = demo.handle()
                    .descendants()
                    .filter(child -> commandOf(child).contains(".demo.member.MemberMain"))
                    .findFirst()
                    .orElseThrow();

            member.destroyForcibly();

            assertThat(demo.exitCode()).isEqualTo(1);
            assertThat(demo.errors())
                    .contains("(process " + member.pid() + ") ended, exit code 137; see the end of " + log);
        }
    }

    /** Of any length, unlike what the handle tells. */
    private static String commandOf(ProcessHandle process) {
        ProcessBuilder ps = new ProcessBuilder("ps", "-ww", "-o", "args=", "-p", Long.toString(process.pid()));
        try (InputStream words = ps.start().getInputStream()) {
            return new String(words.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("brief")
    void aGivenRedisIsLeftAsItWas() throws Exception {
        assertThatRedisIsLeftAsItWasBy("penetration");
    }

    @Test
    @Tag("proof")
    void aGivenRedisIsLeftAsItWasByEachScenario() throws Exception {
        assertThatRedisIsLeftAsItWasBy(String.join(",", Scenarios.names()));
    }

    private void assertThatRedisIsLeftAsItWasBy(String scenarios) throws Exception {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient redis = PlainRedis.client(server.uri())) {
            redis.set("somebody's", "value");
            try (ProgramJvm demo = ProgramJvm.start(
                    Main.class,
                    directory,
                    "--quick",
                    "--scenario",
                    scenarios,
                    "--redis",
                    server.uri(),
                    "--processes",
                    "1",
                    "--callers",
                    "4")) {
                demo.lines();
                assertThat(demo.exitCode()).as(demo.errors()).isZero();
            }
            assertThat(redis.keys("*")).containsExactly("somebody's");
        }
    }
}
