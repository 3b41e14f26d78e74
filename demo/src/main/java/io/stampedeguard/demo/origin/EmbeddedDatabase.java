package io.stampedeguard.demo.origin;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.h2.tools.Server;

/** An H2 database in this JVM's memory, served to other processes over TCP on the loopback interface. */
public final class EmbeddedDatabase implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String USER = "demo";

    /**
     * The database lives as long as this JVM. Without the last setting H2 would answer a query that is repeated on the
     * same connection from its previous result, and the query would be work only once.
     */
    private static final String SETTINGS = ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE;OPTIMIZE_REUSE_RESULTS=0";

    private final Server server;
    private final DatabaseAddress address;

    private EmbeddedDatabase(Server server, DatabaseAddress address) {
        this.server = server;
        this.address = address;
    }

    /**
     * Starts a database of its own on a free port.
     *
     * @return an empty database
     * @throws SQLException if it does not start
     */
    public static EmbeddedDatabase start() throws SQLException {
        System.setProperty("h2.bindAddress", LOOPBACK);
        String name = "mem:catalogue-" + UUID.randomUUID();
        String password = UUID.randomUUID().toString();
        Connection creating = DriverManager.getConnection("jdbc:h2:" + name + SETTINGS, USER, password);
        creating.close();
        Server server = Server.createTcpServer("-tcpPort", "0").start();
        String url = "jdbc:h2:tcp://" + LOOPBACK + ":" + server.getPort() + "/" + name;
        return new EmbeddedDatabase(server, new DatabaseAddress(url, USER, password));
    }

    /**
     * Tells where it is.
     *
     * @return for any process of this machine
     */
    public DatabaseAddress address() {
        return address;
    }

    /** Ends the server. */
    @Override
    public void close() {
        server.stop();
    }
}
