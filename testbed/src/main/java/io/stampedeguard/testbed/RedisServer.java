package io.stampedeguard.testbed;

import java.nio.file.Path;

/**
 * A real Redis server. {@link #start()} takes the first of these that is available:
 *
 * <ol>
 *   <li>the server of {@code -Dstampede.redis=redis://host:port}, which is used as it is and never flushed or stopped;
 *   <li>Docker, through Testcontainers ({@code -Dstampede.redis=docker} requires it);
 *   <li>{@code redis-server} on the PATH ({@code -Dstampede.redis=path} requires it);
 *   <li>the binary inside {@code embedded-redis} ({@code -Dstampede.redis=embedded} requires it).
 * </ol>
 *
 * <p>All but the first are private servers, empty, without persistence, on a free port of the loopback interface. They
 * end with {@link #close()} and when the JVM ends in any way that runs its shutdown hooks, SIGTERM and SIGINT included.
 * A server may be shared, so each user needs keys of its own. <em>Thread-safe.</em>
 */
public sealed interface RedisServer extends AutoCloseable permits GivenServer, DockerServer, RedisProcess {
    /**
     * Starts a server, or takes the given one, waits until it answers, and prints one line on standard error that names
     * it.
     *
     * @throws IllegalArgumentException if {@code stampede.redis} is none of the above
     * @throws IllegalStateException if the required server is not available
     */
    static RedisServer start() {
        RedisServer server = ServerChoice.ofThisJvm().start();
        System.err.println("Redis: " + server.description());
        return server;
    }

    /**
     * Starts a private server process, whatever {@link #start()} would choose, for tests that pause, kill, or configure
     * their server: {@code redis-server} from the PATH or the embedded binary.
     *
     * @param extraArguments arguments for {@code redis-server}; {@link RedisProcess#FREE_PORT} among them becomes a
     *     free port
     */
    static RedisProcess startProcess(String... extraArguments) {
        return ServerChoice.ofThisJvm().startProcess(extraArguments);
    }

    /**
     * Starts a private server process of a given binary, for tests of another version.
     *
     * @param binary a {@code redis-server}
     * @param extraArguments as for {@link #startProcess(String...)}
     */
    static RedisProcess startProcess(Path binary, String... extraArguments) {
        return RedisProcess.start(new ServerBinary(binary, binary.toString()), extraArguments);
    }

    /** {@return the URI of the server for a Redis client, with the credentials if any were given} */
    String uri();

    /** {@return the name or address of the server's host} */
    String host();

    /** {@return the TCP port of the server} */
    int port();

    /** {@return a description of the server in one line, without credentials: which one was chosen, and its address} */
    String description();

    /** Stops the server and removes its files, unless it was given. Can be called twice. */
    @Override
    void close();
}
