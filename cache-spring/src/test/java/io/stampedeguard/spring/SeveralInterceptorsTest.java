package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.store.InMemoryStore;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.xml.XmlBeanDefinitionReader;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;

/** Configuration by XML: annotations beside {@code <cache:advice>}, with a manager for each. */
final class SeveralInterceptorsTest {
    private static final String HEAD = """
            <beans xmlns="http://www.springframework.org/schema/beans"
                xmlns:aop="http://www.springframework.org/schema/aop"
                xmlns:cache="http://www.springframework.org/schema/cache"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="
                    http://www.springframework.org/schema/beans https://www.springframework.org/schema/beans/spring-beans.xsd
                    http://www.springframework.org/schema/aop https://www.springframework.org/schema/aop/spring-aop.xsd
                    http://www.springframework.org/schema/cache https://www.springframework.org/schema/cache/spring-cache.xsd">
            """;
    private static final String ANNOTATIONS = """
            <cache:annotation-driven cache-manager="guarded" proxy-target-class="true"/>
            """;
    private static final String ADVICE = """
            <cache:advice id="advice" cache-manager="others">
              <cache:caching cache="rates"><cache:cacheable method="rate"/></cache:caching>
            </cache:advice>
            <aop:config proxy-target-class="true">
              <aop:advisor advice-ref="advice" pointcut="execution(* rate(String))"/>
            </aop:config>
            """;

    @Configuration
    @Import({StampedeCachingConfiguration.class, Products.class, Rates.class})
    static class Application {
        @Bean
        StampedeCacheManager guarded() {
            return StampedeCacheManager.builder(InMemoryStore.create()).build();
        }

        @Bean
        CacheManager others() {
            return new ConcurrentMapCacheManager("rates");
        }
    }

    static class Products {
        @Cacheable(cacheNames = "products", unless = "#result.isEmpty()")
        public String find(long id) {
            return "product " + id;
        }
    }

    static class Rates {
        public String rate(String currency) {
            return "rate of " + currency;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ANNOTATIONS + ADVICE, ADVICE + ANNOTATIONS})
    void eachInterceptorKeepsItsManager(String interceptors) {
        String xml = HEAD + interceptors + "</beans>";
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            new XmlBeanDefinitionReader(context)
                    .loadBeanDefinitions(new ByteArrayResource(xml.getBytes(StandardCharsets.UTF_8)));
            context.register(Application.class);
            context.refresh();
            StampedeCacheManager guarded = context.getBean(StampedeCacheManager.class);

            context.getBean(Products.class).find(7);
            assertThat(guarded.getCache("products").get(7L, String.class)).isEqualTo("product 7");

            context.getBean(Rates.class).rate("EUR");
            assertThat(context.getBean("others", CacheManager.class)
                            .getCache("rates")
                            .get("EUR", String.class))
                    .isEqualTo("rate of EUR");
            assertThat(guarded.getCacheNames()).containsExactly("products");
        }
    }
}
