package io.stampedeguard.examples.micronaut;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.jdbcx.JdbcConnectionPool;

/** The database, with its first products. */
@Factory
final class Database {
    @Singleton
    @Bean(preDestroy = "dispose")
    JdbcConnectionPool database(@Value("${database.url}") String url) throws SQLException {
        JdbcConnectionPool pool = JdbcConnectionPool.create(url, "", "");
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS product (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL, cents BIGINT NOT NULL)");
            statement.execute("INSERT INTO product SELECT x, 'Product ' || x, 100 * x FROM SYSTEM_RANGE(1, 100)"
                    + " WHERE NOT EXISTS (SELECT 1 FROM product)");
        }
        return pool;
    }
}
