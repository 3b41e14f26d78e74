package io.stampedeguard.spring;

import io.stampedeguard.store.InMemoryStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** An application with a database, whose services are transactional. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
@EnableTransactionManagement
@Import(StampedeCachingConfiguration.class)
class Shop {
    @Bean
    PlatformTransactionManager transactionManager(DataSource source) {
        return new DataSourceTransactionManager(source);
    }

    @Bean
    StampedeCacheManager cacheManager(TransactionOptions options) {
        return StampedeCacheManager.builder(InMemoryStore.create())
                .transactions(options)
                .build();
    }

    @Bean
    JdbcTemplate jdbc(DataSource source) {
        JdbcTemplate jdbc = new JdbcTemplate(source);
        jdbc.execute("CREATE TABLE product (id BIGINT PRIMARY KEY, name VARCHAR)");
        jdbc.update("INSERT INTO product VALUES (42, 'lamp')");
        return jdbc;
    }

    @Bean
    Products products(JdbcTemplate jdbc, ApplicationEventPublisher events) {
        return new Products(jdbc, events);
    }

    @Bean
    Scopes scopes() {
        return new Scopes();
    }

    /** A product has another name. */
    record Renamed(long id) {}

    /** The products, by their ids. */
    static class Products {
        private final AtomicInteger loads = new AtomicInteger();
        private final JdbcTemplate jdbc;
        private final ApplicationEventPublisher events;

        Products(JdbcTemplate jdbc, ApplicationEventPublisher events) {
            this.jdbc = jdbc;
            this.events = events;
        }

        public int loads() {
            return loads.get();
        }

        @Cacheable("products")
        @Transactional
        public String name(long id) {
            loads.incrementAndGet();
            return jdbc.queryForObject("SELECT name FROM product WHERE id = ?", String.class, id);
        }

        @Cacheable("later")
        public CompletableFuture<String> nameLater(long id) {
            loads.incrementAndGet();
            return CompletableFuture.completedFuture(
                    jdbc.queryForObject("SELECT name FROM product WHERE id = ?", String.class, id));
        }

        /** Returns the name as the database has it. */
        @Transactional
        public String stored(long id) {
            return jdbc.queryForObject("SELECT name FROM product WHERE id = ?", String.class, id);
        }

        @CacheEvict(cacheNames = "products", key = "#id")
        @Transactional
        public void rename(long id, String name) {
            jdbc.update("UPDATE product SET name = ? WHERE id = ?", name, id);
            events.publishEvent(new Renamed(id));
        }

        @CachePut(cacheNames = "products", key = "#id")
        @Transactional
        public String renamed(long id, String name) {
            jdbc.update("UPDATE product SET name = ? WHERE id = ?", name, id);
            return name;
        }

        @CacheEvict(cacheNames = "products", allEntries = true)
        @Transactional
        public void renameAll(String name) {
            jdbc.update("UPDATE product SET name = ?", name);
        }
    }

    /** Transactions around the methods of services. */
    static class Scopes {
        @Transactional
        public <T> T inTransaction(Supplier<T> code) {
            return code.get();
        }

        @Transactional(propagation = Propagation.NESTED)
        public <T> T nested(Supplier<T> code) {
            return code.get();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public <T> T inItsOwn(Supplier<T> code) {
            return code.get();
        }

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        public <T> T inASnapshot(Supplier<T> code) {
            return code.get();
        }
    }
}
