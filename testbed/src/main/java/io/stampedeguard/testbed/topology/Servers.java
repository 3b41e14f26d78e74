package io.stampedeguard.testbed.topology;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import redis.clients.jedis.Jedis;

/** A group of server processes that end together. <em>Thread-safe.</em> */
final class Servers implements AutoCloseable {
    /** How long a healthy server may take to answer on a busy machine, with time to spare. */
    private static final int TIMEOUT_MILLIS = 30_000;

    private final List<RedisProcess> processes = new CopyOnWriteArrayList<>();

    RedisProcess start(String... arguments) {
        RedisProcess process = RedisServer.startProcess(arguments);
        processes.add(process);
        return process;
    }

    List<RedisProcess> alive() {
        return processes.stream().filter(RedisProcess::isAlive).toList();
    }

    /** Returns the servers, in the order of their starts. */
    List<RedisProcess> all() {
        return List.copyOf(processes);
    }

    RedisProcess at(int port) {
        return processes.stream()
                .filter(process -> process.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("none of these servers listens on port " + port));
    }

    static <T> T ask(RedisProcess server, Function<Jedis, T> question) {
        try (Jedis jedis = new Jedis(server.host(), server.port(), TIMEOUT_MILLIS)) {
            return question.apply(jedis);
        }
    }

    /** Returns whether a replica has caught up with its master, or needs none. */
    static boolean isInSync(RedisProcess server) {
        String replication = ask(server, jedis -> jedis.info("replication"));
        return replication.contains("role:master") || replication.contains("master_link_status:up");
    }

    @Override
    public void close() {
        processes.forEach(RedisProcess::close);
    }
}
