package io.stampedeguard.spring.boot;

import io.stampedeguard.StampedeGuardedCache;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;
import tools.jackson.databind.json.JsonMapper;

/** The code that {@code docs/migrating.md} shows, and an origin for it. */
final class Migrated {
    private Migrated() {}

    /** A row of the database. */
    public record Product(long id, String name) {}

    /** A database, which counts its queries. */
    static final class Dao {
        private final AtomicInteger queries = new AtomicInteger();
        private final Query query;

        /** What a query waits for. */
        interface Query {
            void run() throws Exception;
        }

        Dao(Query query) {
            this.query = query;
        }

        int queries() {
            return queries.get();
        }

        Product findById(long id) {
            queries.incrementAndGet();
            try {
                query.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return new Product(id, "lamp");
        }

        void rename(long id, String name) {}
    }

    /** Annotated methods, the same before and after. */
    static class Annotated {
        private final Dao dao = new Dao(() -> {});

        public int queries() {
            return dao.queries();
        }

        @Cacheable(cacheNames = "products", key = "#id")
        public Product find(long id) {
            return dao.findById(id);
        }

        @CacheEvict(cacheNames = "products", key = "#id")
        public void rename(long id, String name) {
            dao.rename(id, name);
        }
    }

    /** Cache-aside by hand. */
    static Product byHand(UnifiedJedis jedis, JsonMapper mapper, Dao dao, long id) {
        String json = jedis.get("product:" + id);
        if (json != null) {
            return mapper.readValue(json, Product.class);
        }
        Product product = dao.findById(id);
        jedis.set("product:" + id, mapper.writeValueAsString(product), new SetParams().ex(600));
        return product;
    }

    /** The same by a guarded cache. */
    static @Nullable Product guarded(StampedeGuardedCache<Long, Product> products, Dao dao, long id) {
        return products.get(id, dao::findById);
    }
}
