package io.stampedeguard.redis.chaos;

import io.stampedeguard.testbed.fault.FaultProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.h2.tools.Server;

/**
 * An H2 database in the memory of this process, behind a proxy that makes each answer take a while, as a database elsewhere
 * does. Its table {@code item} has a version of each key. <em>Thread-safe.</em>
 */
final class ChaosDatabase implements AutoCloseable {
    static final String USER = "chaos";

    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration USUAL = Duration.ofMillis(2);
    private static final int TIMES_SLOWER = 10;

    private final String name = "mem:chaos-" + UUID.randomUUID();
    private final String password = UUID.randomUUID().toString();
    private final Connection keptOpen; // the database lives as long as it has a connection
    private final Server server;
    private final FaultProxy proxy;

    ChaosDatabase(int keys, long seed) throws SQLException {
        System.setProperty("h2.bindAddress", LOOPBACK);
        keptOpen = DriverManager.getConnection("jdbc:h2:" + name, USER, password);
        try (Statement statement = keptOpen.createStatement()) {
            statement.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)");
            statement.execute("INSERT INTO item SELECT x, 0 FROM SYSTEM_RANGE(0, " + (keys - 1) + ")");
        }
        server = Server.createTcpServer("-tcpPort", "0").start();
        proxy = FaultProxy.start(LOOPBACK, server.getPort(), seed);
        heal();
    }

    String url() {
        return "jdbc:h2:tcp://" + LOOPBACK + ":" + proxy.port() + "/" + name;
    }

    String password() {
        return password;
    }

    void slow() {
        proxy.delayAnswers(USUAL.multipliedBy(TIMES_SLOWER), Duration.ZERO);
    }

    void cut() {
        proxy.cut();
    }

    void heal() {
        proxy.heal();
        proxy.delayAnswers(USUAL, Duration.ZERO);
    }

    @Override
    public void close() {
        proxy.close();
        server.stop();
        try {
            keptOpen.close();
        } catch (SQLException e) {
            throw new IllegalStateException("the database was in this process", e);
        }
    }
}
