package io.stampedeguard.examples.micronaut;

import io.micronaut.cache.annotation.CacheConfig;
import io.micronaut.cache.annotation.CacheInvalidate;
import io.micronaut.cache.annotation.Cacheable;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** The catalogue. A product is queried once in all processes, however many callers ask for it at the same time. */
@Singleton
@CacheConfig("products")
public class Catalogue {
    private final DataSource database;

    Catalogue(DataSource database) {
        this.database = database;
    }

    @Cacheable(atomic = true)
    public Optional<Product> find(long id) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT name, cents FROM product WHERE id = ?")) {
            query.setLong(1, id);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new Product(id, row.getString("name"), row.getLong("cents")))
                        : Optional.empty();
            }
        }
    }

    /** Removes what the cache may have noted: that there is no such product. */
    @CacheInvalidate(parameters = "id")
    public Product add(long id, String name, long cents) throws SQLException {
        change("INSERT INTO product (name, cents, id) VALUES (?, ?, ?)", name, cents, id);
        return new Product(id, name, cents);
    }

    /**
     * Returns whether there is such a product. It is removed from the cache once it is changed: by {@code @CachePut}, a caller that is
     * late would store the former one.
     */
    @CacheInvalidate(parameters = "id")
    public boolean rename(long id, String name) throws SQLException {
        return change("UPDATE product SET name = ? WHERE id = ?", name, id) == 1;
    }

    @CacheInvalidate(all = true)
    public void raisePrices(int percent) throws SQLException {
        change("UPDATE product SET cents = cents + cents * ? / 100", percent);
    }

    private int change(String sql, Object... parameters) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }
}
