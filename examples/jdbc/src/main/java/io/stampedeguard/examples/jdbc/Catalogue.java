package io.stampedeguard.examples.jdbc;

import io.stampedeguard.GuardedCaches;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.JsonCodec;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The products, each of which is read from the database once in all processes, however many callers ask for it. */
final class Catalogue {
    private final ProductDao dao;
    private final StampedeGuardedCache<Long, Product> products;

    Catalogue(ProductDao dao, GuardedCaches caches) {
        this.dao = dao;
        this.products = caches.cache("products", Long.class, JsonCodec.of(Product.class))
                .loader(dao::findById)
                .build();
    }

    /** Returns a product, or {@code null} if there is none, which is cached as well. */
    @Nullable
    Product find(long id) {
        return products.get(id);
    }

    /** Renames a product, and returns whether there is one. No process is served the former name afterwards. */
    boolean rename(long id, String name) throws SQLException {
        try {
            return dao.rename(id, name);
        } finally {
            products.invalidate(id); // after the commit, and if it failed: the connection may have broken after it
        }
    }
}
