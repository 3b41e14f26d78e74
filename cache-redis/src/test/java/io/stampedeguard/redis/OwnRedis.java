package io.stampedeguard.redis;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/** A server of one test, or of one test class, with a connection that administers it; to be closed by {@code @AutoClose}. */
public final class OwnRedis implements AutoCloseable {
    private final RedisProcess server;
    private final Jedis admin;

    /** Starts a server with some arguments. */
    public OwnRedis(String... arguments) {
        server = RedisServer.startProcess(arguments);
        admin = PlainRedis.admin(server.host(), server.port());
    }

    public RedisProcess server() {
        return server;
    }

    public Jedis admin() {
        return admin;
    }

    public String uri() {
        return server.uri();
    }

    /** Returns the URI for a user. */
    public String uri(String user, String password) {
        return server.uri().replace("//", "//" + user + ":" + password + "@");
    }

    /** Returns the calls of each command since the last reset, without those of tests, of the check of the server, and of idle connections. */
    public Map<String, Long> calls() {
        return commands().besides("config", "info", "ping");
    }

    public long calls(String command) {
        return commands().count(command);
    }

    public RedisCommands commands() {
        return RedisCommands.parse(admin.info("commandstats"));
    }

    /** Returns a line for each connection of a kind, such as {@code name=shop}. */
    public Stream<String> clients(String kind) {
        return admin.clientList().lines().filter(line -> line.contains(kind));
    }

    /** Returns the clock of a server, in milliseconds. */
    static long millis(Jedis admin) {
        List<String> now = admin.time();
        return Long.parseLong(now.get(0)) * 1_000 + Long.parseLong(now.get(1)) / 1_000;
    }

    /** Returns when the clock of a server has gone on. */
    static void letPass(Jedis admin, Duration length) {
        long until = millis(admin) + length.toMillis();
        Fleet.until(() -> millis(admin) > until);
    }

    @Override
    public void close() {
        admin.close();
        server.close();
    }
}
