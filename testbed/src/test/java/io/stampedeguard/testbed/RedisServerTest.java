package io.stampedeguard.testbed;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisServerTest {
    private static final Map<String, String> NO_DOCKER = Map.of("DOCKER_HOST", "unix:///nowhere/docker.sock");

    @TempDir
    Path directory;

    @Test
    void sayInOneLineWhichServerWasChosen() throws Exception {
        try (OwnerJvm owner = OwnerJvm.start(directory, "embedded", NO_DOCKER)) {
            String uri = owner.nextLine();
            String pid = owner.nextLine();
            assertThat(owner.errors())
                    .isEqualTo("Redis: embedded redis-server 7.0.15, at %s, process %s%n".formatted(uri, pid));
        }
    }

    @Test
    void withoutAnyWishAndWithoutDockerAServerProcessIsStarted() throws Exception {
        try (OwnerJvm owner = OwnerJvm.start(directory, "", NO_DOCKER)) {
            assertThat(owner.nextLine()).startsWith("redis://127.0.0.1:");
            assertThat(owner.nextLine()).isNotEqualTo("0");
            assertThat(owner.errors().lines()).hasSize(1);
        }
    }

    @Test
    void aGivenServerIsUsedAsItIsAndLeftRunning() throws Exception {
        try (RedisProcess given = RedisServer.startProcess()) {
            try (OwnerJvm owner = OwnerJvm.start(directory, given.uri(), NO_DOCKER)) {
                assertThat(owner.nextLine()).isEqualTo(given.uri());
                owner.signal("TERM");
                owner.exitCode();
                assertThat(owner.errors())
                        .isEqualTo("Redis: given by -Dstampede.redis, at 127.0.0.1:%d%n".formatted(given.port()));
            }
            Ping.send(given.host(), given.port());
        }
    }

    @Test
    void aGivenServerThatDoesNotAnswerIsAClearError() throws Exception {
        RedisProcess gone = RedisServer.startProcess();
        gone.close();
        assertThatThrownBy(() -> GivenServer.at("redis://user:geheim@127.0.0.1:" + gone.port()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no Redis answers at 127.0.0.1:%d (-Dstampede.redis)", gone.port());
    }

    @Test
    void insistingOnDockerWithoutDockerIsOneClearError() throws Exception {
        try (OwnerJvm owner = OwnerJvm.start(directory, "docker", NO_DOCKER)) {
            assertThat(owner.exitCode()).isNotZero();
            assertThat(owner.errors().lines().filter(line -> !line.startsWith("\tat ")))
                    .containsExactly("Exception in thread \"main\" java.lang.IllegalStateException:"
                            + " -Dstampede.redis=docker, but no Docker answers at unix:///nowhere/docker.sock");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"dokcer", "http://:geheim@host", "redis:// :geheim@host", "redis://:geheim@"})
    void aWishThatIsNotUnderstoodIsRefusedWithoutRepeatingIt(String wish) {
        assertThatThrownBy(() -> new ServerChoice(wish, "", new DockerProbe("none:")).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .hasMessageStartingWith("-Dstampede.redis ")
                .hasMessageContaining("redis://host:port")
                .message()
                .doesNotContain("geheim", "dokcer");
    }

    @Test
    void insistingOnThePathWithoutRedisOnItIsAClearError() {
        ServerChoice choice = new ServerChoice("path", directory.toString(), new DockerProbe("none:"));
        assertThatThrownBy(choice::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("-Dstampede.redis=path, but there is no redis-server on the PATH");
    }

    @Test
    void aServerOnThePathIsTakenBeforeTheEmbeddedOne() {
        Path file = EmbeddedBinary.extracted().file();
        String searchPath = directory + java.io.File.pathSeparator + file.getParent();
        try (RedisServer server = new ServerChoice("", searchPath, new DockerProbe("none:")).start()) {
            assertThat(server.description()).startsWith("redis-server on the PATH, " + file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aJvmThatIsEndedPolitelyLeavesNeitherServerNorFiles(String signal) throws Exception {
        try (OwnerJvm owner = OwnerJvm.start(directory, "embedded", NO_DOCKER)) {
            owner.nextLine();
            ProcessHandle redis =
                    ProcessHandle.of(Long.parseLong(owner.nextLine())).orElseThrow();

            owner.signal(signal);

            redis.onExit().get(120, SECONDS);
            owner.exitCode();
            assertThat(directory.resolve("temporary")).isEmptyDirectory();
        }
    }

    @Test
    void jvmThatIsEndedWhileItStartsServersLeavesNoDirectory() throws Exception {
        try (OwnerJvm owner = OwnerJvm.start(directory, LateOwner.class, "embedded", NO_DOCKER)) {
            assertThat(owner.nextLine()).isEqualTo("IllegalStateException");
            owner.exitCode();

            assertThat(directory.resolve("temporary")).isEmptyDirectory();
        }
    }
}
