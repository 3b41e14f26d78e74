package io.stampedeguard.demo.origin;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Products with prices, order lines, and reviews, generated from a seed. The tables have names of their own, so that
 * the catalogue can temporarily exist in a shared database. Not thread-safe.
 */
public final class Catalogue implements AutoCloseable {
    /** The number of products, which are numbered from 1. */
    public static final int PRODUCTS = 10_000;

    private static final int REVIEWS = 20_000;
    private static final int DEAREST_CENTS = 100_000;

    private final DatabaseAddress address;
    private final String prefix;
    private final int orderLines;

    /** Creates a catalogue; its tables get the prefix. {@code orderLines} determines how long {@link ProductRead#SALES} takes. */
    public Catalogue(DatabaseAddress address, String prefix, int orderLines) {
        this.address = address;
        this.prefix = prefix;
        this.orderLines = orderLines;
    }

    /** Returns the product for any key of a trace: that with this number, or if there is none another one, always the same. */
    public static int productFor(long key) {
        return (int) Math.floorMod(key - 1, (long) PRODUCTS) + 1;
    }

    public void create() throws SQLException {
        try (Connection connection = connect()) {
            create(connection);
        }
    }

    public void fill(long seed) throws SQLException {
        SplittableRandom random = new SplittableRandom(seed);
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            new RowWriter(connection, prefix + "product", 3)
                    .write(PRODUCTS, id -> List.of(id, "Product " + id, priceIn(random)));
            new RowWriter(connection, prefix + "order_line", 4)
                    .write(orderLines, id -> List.of(id, ownerOf(id, random), upToFive(random), priceIn(random)));
            new RowWriter(connection, prefix + "review", 3)
                    .write(REVIEWS, id -> List.of(id, ownerOf(id, random), upToFive(random)));
            connection.commit();
        }
    }

    @Override
    public void close() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String table : List.of("review", "order_line", "product")) {
                statement.execute("DROP TABLE IF EXISTS " + prefix + table);
            }
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(address.url(), address.user(), address.password());
    }

    private void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + prefix + "product (id INT NOT NULL PRIMARY KEY,"
                    + " name VARCHAR(40) NOT NULL, price_cents INT NOT NULL)");
            statement.execute("CREATE TABLE " + prefix + "order_line (id INT NOT NULL PRIMARY KEY,"
                    + " product_id INT NOT NULL, quantity INT NOT NULL, paid_cents INT NOT NULL)");
            statement.execute("CREATE TABLE " + prefix + "review (id INT NOT NULL PRIMARY KEY,"
                    + " product_id INT NOT NULL, stars INT NOT NULL)");
            statement.execute("CREATE INDEX " + prefix + "review_of ON " + prefix + "review (product_id)");
        }
    }

    /** Every product has at least one; the others are random. */
    private static int ownerOf(int id, SplittableRandom random) {
        return id <= PRODUCTS ? id : random.nextInt(1, PRODUCTS + 1);
    }

    private static int priceIn(SplittableRandom random) {
        return random.nextInt(1, DEAREST_CENTS);
    }

    private static int upToFive(SplittableRandom random) {
        return random.nextInt(1, 6);
    }
}
