package io.stampedeguard.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DockerProbeTest {
    @TempDir
    Path directory;

    @Test
    void anEngineThatAnswersIsFound() throws Exception {
        try (ServerSocketChannel engine = engine()) {
            Thread answering = new Thread(() -> answerOnce(engine));
            answering.start();
            assertThat(new DockerProbe(address(), Duration.ofMinutes(1)).answers())
                    .isTrue();
            answering.join();
        }
    }

    @Test
    @Timeout(60)
    void anEngineThatAcceptsAndSaysNothingIsGivenUp() throws Exception {
        try (ServerSocketChannel engine = engine()) {
            assertThat(new DockerProbe(address(), Duration.ofMillis(50)).answers())
                    .isFalse();
            assertThat(engine.isOpen()).isTrue();
        }
    }

    @Test
    void byDefaultItIsGivenUpInLessThanASecond() {
        assertThat(probe().patience()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void aSocketThatNobodyServesIsNoDocker() throws Exception {
        engine().close();
        assertThat(probe().answers()).isFalse();
    }

    @Test
    void anAddressThatIsNotUnderstoodIsNoDocker() {
        assertThat(new DockerProbe("ssh://somewhere").answers()).isFalse();
        assertThat(new DockerProbe("tcp://").answers()).isFalse();
        assertThat(new DockerProbe("tcp://127.0.0.1:1").answers()).isFalse();
    }

    @Test
    void theEnvironmentSaysWhereDockerIs() {
        assertThat(DockerProbe.of(Map.of("DOCKER_HOST", "tcp://engine:2375")))
                .isEqualTo(new DockerProbe("tcp://engine:2375"));
        assertThat(DockerProbe.of(Map.of()).endpoint()).startsWith("unix:///");
    }

    private DockerProbe probe() {
        return new DockerProbe(address());
    }

    private String address() {
        return "unix://" + directory.resolve("docker.sock");
    }

    private ServerSocketChannel engine() throws Exception {
        ServerSocketChannel engine = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        engine.bind(UnixDomainSocketAddress.of(directory.resolve("docker.sock")));
        return engine;
    }

    private static void answerOnce(ServerSocketChannel engine) {
        try (SocketChannel client = engine.accept()) {
            client.read(ByteBuffer.allocate(1_024));
            client.write(ByteBuffer.wrap("HTTP/1.0 200 OK\r\n\r\nOK".getBytes()));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
