package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Values of generic repositories, whose interfaces alone know the types: their beans are proxies of one class for all. */
final class GenericRepositoryTest {
    private final AnnotationConfigApplicationContext context = Contexts.of(Repositories.class);
    private final Products products = context.getBean(Products.class);
    private final Orders orders = context.getBean(Orders.class);
    private final AtomicInteger loads = context.getBean(AtomicInteger.class);

    record Product(long id, String name) {}

    record Order(long id, List<Product> of) {}

    interface Repository<T> {
        @Cacheable("found")
        T find(long id);
    }

    interface Products extends Repository<Product> {}

    interface Orders extends Repository<Order> {}

    /** What implements the methods that all repositories have. */
    static class StandardRepository {}

    @Configuration
    static class Repositories {
        @Bean
        AtomicInteger loads() {
            return new AtomicInteger();
        }

        @Bean
        Products products(AtomicInteger loads) {
            return repository(Products.class, loads, id -> new Product(id, "lamp"));
        }

        @Bean
        Orders orders(AtomicInteger loads) {
            return repository(Orders.class, loads, id -> new Order(id, List.of(new Product(id, "lamp"))));
        }

        private static <R> R repository(Class<R> type, AtomicInteger loads, LongFunction<Object> query) {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new StandardRepository());
            factory.setInterfaces(type);
            factory.addAdvice((MethodInterceptor) invocation -> {
                if (!invocation.getMethod().getName().equals("find")) {
                    return invocation.proceed();
                }
                loads.incrementAndGet();
                return query.apply((long) invocation.getArguments()[0]);
            });
            return type.cast(factory.getProxy());
        }
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void valuesHaveTheTypesOfTheirInterfaces() {
        for (int i = 0; i < 2; i++) { // the second ones are read from the store
            Product product = products.find(1);
            Order order = orders.find(2);

            assertThat(product).isEqualTo(new Product(1, "lamp"));
            assertThat(order).isEqualTo(new Order(2, List.of(new Product(2, "lamp"))));
        }
        assertThat(loads).hasValue(2);
    }
}
