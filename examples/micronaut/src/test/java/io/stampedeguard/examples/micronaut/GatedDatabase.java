package io.stampedeguard.examples.micronaut;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * The application's database, behind one gate for all applications of this JVM. It counts the connections, each of which serves one
 * statement, and holds them while it is closed.
 */
@Factory
final class GatedDatabase {
    private static final AtomicInteger STATEMENTS = new AtomicInteger();
    private static volatile CountDownLatch closed = new CountDownLatch(0);

    static int statements() {
        return STATEMENTS.get();
    }

    static void close() {
        closed = new CountDownLatch(1);
    }

    static void open() {
        closed.countDown();
    }

    @Singleton
    @Replaces(value = JdbcConnectionPool.class, factory = Database.class)
    DataSource database(@Value("${database.url}") String url) throws SQLException {
        DataSource database = new Database().database(url);
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        STATEMENTS.incrementAndGet();
                        closed.await();
                    }
                    try {
                        return method.invoke(database, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
