package io.stampedeguard.demo.origin;

import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.UUID;
import org.h2.tools.Server;

/** An H2 database in the memory of a process of its own, served over TCP on the loopback interface. */
final class DatabaseMain {
    static final String ADDRESS = "address";
    static final String USER = "demo";

    /**
     * The database lives as long as the process. Without the last setting H2 would answer a repeated query on the same
     * connection from its previous result, so only the first query would do any work.
     */
    private static final String SETTINGS = ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE;OPTIMIZE_REUSE_RESULTS=0";

    private static final String LOOPBACK = "127.0.0.1";

    private DatabaseMain() {}

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        System.setProperty("h2.bindAddress", LOOPBACK);
        String name = "mem:catalogue";
        String password = UUID.randomUUID().toString();
        Connection creating = DriverManager.getConnection("jdbc:h2:" + name + SETTINGS, USER, password);
        creating.close();
        Server server = Server.createTcpServer("-tcpPort", "0").start();
        link.send(Message.of(ADDRESS)
                .with("url", "jdbc:h2:tcp://" + LOOPBACK + ":" + server.getPort() + "/" + name)
                .with("password", password));
        Thread.currentThread().join();
    }
}
