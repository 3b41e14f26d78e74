package io.stampedeguard.examples.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.stampedeguard.GuardedCaches;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** The application: {@code java -jar example-jdbc.jar [PORT [REDIS [DATABASE]]]}. */
final class CatalogueApplication implements AutoCloseable {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(Duration.ofMinutes(1)) // then a product is stale: served while it is reloaded
            .hardTtl(Duration.ofMinutes(10)) // then it is gone
            .negativeTtl(Duration.ofSeconds(10)) // how long the absence of a product is cached
            .maxConcurrentLoads(8) // below the 10 connections of the pool, so that changes find one
            .build();

    private final HikariDataSource database;
    private final GuardedCaches caches;
    private final CatalogueServer server;

    /** Starts it; the Redis of the store, which closes with it, need not answer. */
    CatalogueApplication(int port, RedisStore store, HikariDataSource database) throws IOException, SQLException {
        this.database = database;
        ProductDao dao = new ProductDao(database);
        dao.createTable();
        caches = GuardedCaches.owning(store, each -> each.policy(POLICY));
        server = new CatalogueServer(new Catalogue(dao, caches), port);
    }

    int port() {
        return server.port();
    }

    /** Ends it: first all requests, which invalidate what they have changed, then loads, then nothing needs the database. */
    @Override
    public void close() {
        server.close();
        caches.close();
        database.close();
    }

    /**
     * Starts it until it is interrupted.
     *
     * @param arguments the port, 8080; the URI of Redis, redis://localhost:6379; that of the database, a file of H2
     */
    public static void main(String[] arguments) throws IOException, SQLException {
        HikariDataSource database = new HikariDataSource();
        database.setJdbcUrl(arguments.length > 2 ? arguments[2] : "jdbc:h2:./target/catalogue");
        CatalogueApplication application = new CatalogueApplication(
                arguments.length > 0 ? Integer.parseInt(arguments[0]) : 8080,
                RedisStore.builder()
                        .keyPrefix("catalogue-jdbc:")
                        .connect(arguments.length > 1 ? arguments[1] : "redis://localhost:6379"),
                database);
        Runtime.getRuntime().addShutdownHook(new Thread(application::close));
        System.out.println("http://localhost:" + application.port() + "/products/42");
    }
}
