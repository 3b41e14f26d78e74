package io.stampedeguard.demo.origin;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.stampedeguard.demo.measure.QueryLog;
import io.stampedeguard.testbed.fleet.WallClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process' access to the catalogue, through a pool of ten connections; each query is logged. <em>Thread-safe.</em> */
public final class Origin implements AutoCloseable {
    private static final int CONNECTIONS = 10;
    private static final Duration LONGEST_QUEUE = Duration.ofMinutes(10);

    private final HikariDataSource pool;
    private final String tablePrefix;
    private final AtomicInteger running = new AtomicInteger();
    private volatile QueryLog log = new QueryLog();

    /** Connects; {@code tablePrefix} is that of the catalogue. */
    public Origin(DatabaseAddress address, String tablePrefix) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        config.setUsername(address.user());
        config.setPassword(address.password());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(LONGEST_QUEUE.toMillis());
        this.pool = new HikariDataSource(config);
        this.tablePrefix = tablePrefix;
    }

    /** The consumer of each product of {@link #readAll}. */
    public interface ProductSink {
        void take(int id, String product);
    }

    /** Starts a new log, of all queries from now on, and of those in progress. */
    public QueryLog startLog() {
        QueryLog fresh = new QueryLog();
        log = fresh;
        return fresh;
    }

    /** Reads one product with one query; returns it as JSON for a page, {@code null} if there is no such product. */
    public @Nullable String read(ProductRead read, int id) throws SQLException {
        @Nullable String[] found = new String[1];
        query(read, id, id, (same, product) -> found[0] = product);
        return found[0];
    }

    /**
     * Like {@link #read}, and then works on the result for a while, which counts as running but needs no connection.
     * Throws {@link IllegalStateException} if the database fails, or this thread is interrupted.
     */
    public @Nullable String load(ProductRead read, int id, Duration work) {
        running.incrementAndGet();
        try {
            String product = read(read, id);
            TimeUnit.NANOSECONDS.sleep(work.toNanos());
            return product;
        } catch (SQLException e) {
            throw new IllegalStateException("the database failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while loading", e);
        } finally {
            running.decrementAndGet();
        }
    }

    /** Reads the products from one number to another with one query. */
    public void readAll(ProductRead read, int from, int to, ProductSink sink) throws SQLException {
        query(read, from, to, sink);
    }

    /** Reads the numbers of all products; this is not logged. Throws {@link IllegalStateException} if the database fails. */
    public Stream<Long> numbers() {
        Stream.Builder<Long> numbers = Stream.builder();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM " + tablePrefix + "product")) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the database failed", e);
        }
        return numbers.build();
    }

    /**
     * Creates a product that has been ordered once, by an order line of that number, so that {@link ProductRead#SALES} finds it.
     */
    public void create(int id) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            new RowWriter(connection, tablePrefix + "product", 3).write(List.of(id, "Product " + id, 100));
            new RowWriter(connection, tablePrefix + "order_line", 4).write(List.of(id, id, 1, 100));
            connection.commit();
        }
    }

    public int running() {
        return running.get();
    }

    public void awaitIdle() throws InterruptedException {
        while (running.get() > 0) {
            Thread.sleep(1);
        }
    }

    private void query(ProductRead read, int from, int to, ProductSink sink) throws SQLException {
        QueryLog into = log;
        running.incrementAndGet();
        long asked = WallClock.micros();
        try (Connection connection = pool.getConnection()) {
            long began = WallClock.micros();
            try (PreparedStatement statement = connection.prepareStatement(read.sql(tablePrefix))) {
                statement.setInt(1, from);
                statement.setInt(2, to);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        sink.take(rows.getInt(1), json(rows));
                    }
                }
            } finally {
                into.add(asked, began, WallClock.micros());
            }
        } finally {
            running.decrementAndGet();
        }
    }

    private static String json(ResultSet row) throws SQLException {
        return "{\"id\":" + row.getInt(1) + ",\"name\":\"" + row.getString(2) + "\",\"priceCents\":" + row.getLong(3)
                + ",\"count\":" + row.getLong(4) + ",\"sum\":" + row.getLong(5) + "}";
    }

    @Override
    public void close() {
        pool.close();
    }
}
