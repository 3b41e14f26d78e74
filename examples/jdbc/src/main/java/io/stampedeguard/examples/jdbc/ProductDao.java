package io.stampedeguard.examples.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Products in the database. Knows of no cache. Each method takes one connection, and commits. */
final class ProductDao {
    private final DataSource database;

    ProductDao(DataSource database) {
        this.database = database;
    }

    /** Creates the table, with a hundred products, unless it exists. */
    void createTable() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists product (id bigint primary key, name varchar("
                    + Product.LONGEST_NAME + ") not null, cents bigint not null)");
            statement.execute("insert into product select x, 'Product ' || x, 100 * x from system_range(1, 100)"
                    + " where not exists (select 1 from product)");
        }
    }

    /** Returns a product, or {@code null} if there is none. */
    @Nullable
    Product findById(long id) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("select name, cents from product where id = ?")) {
            query.setLong(1, id);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? new Product(id, rows.getString("name"), rows.getLong("cents")) : null;
            }
        }
    }

    /** Renames a product, and returns whether there is one. */
    boolean rename(long id, String name) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement update = connection.prepareStatement("update product set name = ? where id = ?")) {
            update.setString(1, name);
            update.setLong(2, id);
            return update.executeUpdate() == 1;
        }
    }
}
