package io.stampedeguard.testbed;

import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import com.redis.testcontainers.RedisContainer;
import java.util.Objects;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/** A private server in a container. */
final class DockerServer implements RedisServer {
    private static final String IMAGE = "redis:7.4-alpine";
    private static final int PORT = 6379;

    private final RedisContainer container;
    private final Thread hook;

    private DockerServer(RedisContainer container) {
        this.container = container;
        this.hook = new Thread(container::stop, "stop-redis-container");
    }

    @SuppressWarnings("resource") // owned by the returned server
    static DockerServer start() {
        RedisContainer container = new RedisContainer(DockerImageName.parse(IMAGE));
        container.withCommand("redis-server", "--save", "", "--appendonly", "no");
        if (DockerClientFactory.instance().dockerHostIpAddress().equals("localhost")) {
            container.withCreateContainerCmdModifier(
                    command -> onLoopbackOnly(Objects.requireNonNull(command.getHostConfig())));
        }
        DockerServer server = new DockerServer(container);
        Runtime.getRuntime().addShutdownHook(server.hook);
        container.start();
        return server;
    }

    /** Testcontainers would publish the port on every interface. */
    private static void onLoopbackOnly(HostConfig config) {
        config.withPortBindings(new PortBinding(Ports.Binding.bindIp("127.0.0.1"), ExposedPort.tcp(PORT)));
    }

    @Override
    public String uri() {
        return "redis://" + host() + ":" + port();
    }

    @Override
    public String host() {
        return container.getHost();
    }

    @Override
    public int port() {
        return container.getMappedPort(PORT);
    }

    @Override
    public String description() {
        return "Docker, " + IMAGE + ", at " + uri();
    }

    @Override
    public void close() {
        container.stop();
        ShutdownHooks.remove(hook);
    }
}
