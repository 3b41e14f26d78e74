package io.stampedeguard.testbed;

import java.util.List;

/**
 * A private {@code redis-server} process on a free port of the loopback interface, which can be paused, killed, and
 * restarted. It runs as a Sentinel if {@code --sentinel} is among its arguments. It has no persistence: it is empty
 * after each start. <em>Thread-safe.</em>
 */
public final class RedisProcess implements RedisServer {
    /** Stands for a free port among the arguments; {@link #portOf} returns the port that was chosen. */
    public static final String FREE_PORT = "{free-port}";

    private static final String HOST = "127.0.0.1";

    private final ServerBinary binary;
    private final TemporaryDirectory directory;
    private final Thread hook = new Thread(this::end, "stop-redis-server");
    private ServerLaunch launch;
    private boolean ended;

    private RedisProcess(ServerBinary binary, List<String> extraArguments) {
        this.binary = binary;
        this.directory = TemporaryDirectory.create("stampede-redis-");
        this.launch = new ServerLaunch(binary.file(), directory.path(), extraArguments);
    }

    static RedisProcess start(ServerBinary binary, String... extraArguments) {
        RedisProcess server = new RedisProcess(binary, List.of(extraArguments));
        Runtime.getRuntime().addShutdownHook(server.hook);
        try {
            server.startOnFreePort();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    private synchronized void startOnFreePort() {
        requireNotEnded();
        launch.onFreePort();
    }

    /**
     * Kills the server if it is running, and starts an empty one on the same port, with the same arguments.
     *
     * @throws IllegalStateException if it does not start, or was closed
     */
    public synchronized void restart() {
        requireNotEnded();
        launch.kill();
        launch.again();
    }

    /** Kills the server (SIGKILL) and returns when its process has ended. */
    public synchronized void kill() {
        launch.kill();
    }

    /** Pauses the server (SIGSTOP): it keeps its connections and answers nothing. */
    public void pause() {
        Signal.send("STOP", pid(), description());
    }

    /** Resumes a paused server (SIGCONT). */
    public void resume() {
        Signal.send("CONT", pid(), description());
    }

    /** {@return whether the process exists, paused or not; {@code false} after {@link #kill()}} */
    public synchronized boolean isAlive() {
        return launch.isAlive();
    }

    /** {@return the operating system's process id; a new one after {@link #restart()}} */
    public synchronized long pid() {
        return launch.pid();
    }

    /**
     * {@return the port that replaced {@link #FREE_PORT} after an argument}
     *
     * @param argument for instance {@code --tls-port}
     */
    public synchronized int portOf(String argument) {
        return launch.portOf(argument);
    }

    @Override
    public String uri() {
        return "redis://" + HOST + ":" + port();
    }

    @Override
    public String host() {
        return HOST;
    }

    @Override
    public int port() {
        return portOf("--port");
    }

    @Override
    public String description() {
        return binary.origin() + ", at " + uri() + ", process " + pid();
    }

    @Override
    public void close() {
        end();
        ShutdownHooks.remove(hook);
    }

    private synchronized void end() {
        ended = true;
        launch.kill();
        directory.delete();
    }

    private void requireNotEnded() {
        if (ended) {
            throw new IllegalStateException("this Redis server was closed");
        }
    }
}
