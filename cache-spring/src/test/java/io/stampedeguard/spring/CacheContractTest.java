package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.spring.Catalogs.ByConfig;
import io.stampedeguard.spring.Catalogs.ByGenerator;
import io.stampedeguard.spring.Catalogs.ByKey;
import io.stampedeguard.spring.Catalogs.ByResolver;
import io.stampedeguard.spring.Catalogs.Conditional;
import io.stampedeguard.spring.Catalogs.OfForeignManager;
import io.stampedeguard.spring.Catalogs.OfManager;
import io.stampedeguard.spring.Catalogs.OfTwo;
import io.stampedeguard.spring.Catalogs.Plain;
import io.stampedeguard.spring.Catalogs.Synchronized;
import io.stampedeguard.spring.Catalogs.Unless;
import io.stampedeguard.spring.Catalogs.WithPut;
import io.stampedeguard.spring.Kind.Catalog;
import io.stampedeguard.spring.Origin.NoSuchProduct;
import io.stampedeguard.store.InMemoryStore;
import java.io.FileNotFoundException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;

/** What Spring's cache annotations promise, for each kind of method: values, absence, and exceptions. */
@TestInstance(Lifecycle.PER_CLASS)
final class CacheContractTest {
    private static final List<Class<? extends Catalog>> CACHED = List.of(
            Plain.class,
            Synchronized.class,
            ByKey.class,
            ByGenerator.class,
            Conditional.class,
            Unless.class,
            OfManager.class,
            OfForeignManager.class,
            ByResolver.class,
            OfTwo.class,
            WithPut.class,
            ByConfig.class);

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private long next = 1_000;

    @Configuration
    @EnableCaching(proxyTargetClass = true)
    @Import(StampedeCachingConfiguration.class)
    static class Application {
        @Bean
        @Primary
        StampedeCacheManager manager() {
            return StampedeCacheManager.builder(InMemoryStore.create()).build();
        }

        @Bean
        StampedeCacheManager otherManager() {
            return StampedeCacheManager.builder(InMemoryStore.create())
                    .defaults(cache -> cache.nearMaximumSize(100))
                    .build();
        }

        @Bean
        CacheManager foreignManager() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        KeyGenerator namedKeys() {
            return (target, method, arguments) -> method.getName() + arguments[0];
        }

        @Bean
        CacheResolver prefixing(StampedeCacheManager manager) {
            return new CacheResolver() {
                @Override
                public Collection<StampedeCache> resolveCaches(CacheOperationInvocationContext<?> invocation) {
                    return invocation.getOperation().getCacheNames().stream()
                            .map(name -> manager.getCache(invocation.getMethod().getName() + "-" + name))
                            .toList();
                }
            };
        }
    }

    @BeforeAll
    void start() {
        context.register(Application.class);
        CACHED.forEach(context::register);
        context.refresh();
    }

    @AfterAll
    void close() {
        context.close();
    }

    static Stream<Arguments> catalogsAndKinds() {
        return CACHED.stream().flatMap(type -> Stream.of(Kind.values()).map(kind -> Arguments.of(type, kind)));
    }

    private <T extends Catalog> T bean(Class<T> type) {
        return context.getBean(type);
    }

    private int calls(Catalog catalog) {
        return ((Origin) catalog).calls();
    }

    private synchronized long newId() {
        return next += 1_000;
    }

    @ParameterizedTest
    @MethodSource("catalogsAndKinds")
    void valueIsComputedOnce(Class<? extends Catalog> type, Kind kind) throws Exception {
        Catalog catalog = bean(type);
        // each kind has keys of its own, as the caches are those of all kinds
        long id = newId();
        String first = kind.call(catalog, id);
        int calls = calls(catalog);

        assertThat(first).startsWith("product " + id);
        assertThat(kind.call(catalog, id)).isEqualTo(first);
        assertThat(calls(catalog)).isEqualTo(calls);
    }

    @ParameterizedTest
    @MethodSource("catalogsAndKinds")
    void absenceIsComputedOnce(Class<? extends Catalog> type, Kind kind) throws Exception {
        Catalog catalog = bean(type);
        kind.call(catalog, 0);
        int calls = calls(catalog);

        assertThat(kind.call(catalog, 0)).isNull();
        assertThat(calls(catalog)).isEqualTo(calls);
    }

    @ParameterizedTest
    @MethodSource("catalogsAndKinds")
    void callerGetsWhatTheMethodThrows(Class<? extends Catalog> type, Kind kind) {
        Catalog catalog = bean(type);
        int calls = calls(catalog);

        assertThatThrownBy(() -> kind.call(catalog, -7)).isExactlyInstanceOf(NoSuchProduct.class);
        assertThatThrownBy(() -> kind.call(catalog, -7)).isExactlyInstanceOf(NoSuchProduct.class);
        assertThat(calls(catalog)).isEqualTo(calls + 2);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void failureOfInfrastructureCoolsDown(Kind kind) {
        Catalog catalog = bean(Plain.class);
        long id = -newId();
        int calls = calls(catalog);

        assertThatThrownBy(() -> kind.call(catalog, id)).isExactlyInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> kind.call(catalog, id))
                .satisfiesAnyOf(
                        failure -> assertThat(failure)
                                .isExactlyInstanceOf(RecentLoadFailureException.class)
                                .hasMessageContaining("stampede.caches.plain.failure-cool-down"),
                        failure -> assertThat(calls(catalog)).isGreaterThan(calls + 1)); // a machine that stood still
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void conditionLeavesTheCacheOut(Kind kind) throws Exception {
        Catalog catalog = bean(Conditional.class);
        kind.call(catalog, 100);
        int calls = calls(catalog);

        assertThat(kind.call(catalog, 100)).startsWith("product 100");
        assertThat(calls(catalog)).isEqualTo(calls + 1);
    }

    static Stream<Arguments> refusing() {
        return Stream.of(Unless.class, OfForeignManager.class)
                .flatMap(type -> Stream.of(Kind.values()).map(kind -> Arguments.of(type, kind)));
    }

    @ParameterizedTest
    @MethodSource("refusing")
    void resultThatUnlessRefusesIsReturnedAndNotStored(Class<? extends Catalog> type, Kind kind) throws Exception {
        Catalog catalog = bean(type);
        assertThat(kind.call(catalog, 100)).startsWith("product 100");
        int calls = calls(catalog);

        assertThat(kind.call(catalog, 100)).startsWith("product 100");
        assertThat(calls(catalog)).isEqualTo(calls + 1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void secondCacheFillsTheFirst(Kind kind) throws Exception {
        Catalog catalog = bean(OfTwo.class);
        StampedeCacheManager manager = context.getBean("manager", StampedeCacheManager.class);
        long id = newId();
        String value = kind.call(catalog, id);
        int calls = calls(catalog);
        manager.getCache("first").evict(id);

        assertThat(kind.call(catalog, id)).isEqualTo(value);
        assertThat(manager.getCache("first").get(id)).isNotNull();

        manager.getCache("second").evict(id);
        assertThat(kind.call(catalog, id)).isEqualTo(value);
        assertThat(calls(catalog)).isEqualTo(calls);
    }

    @Test
    void resolverOfTheApplicationChoosesCaches() throws Exception {
        StampedeCacheManager manager = context.getBean("manager", StampedeCacheManager.class);
        long id = newId();
        Kind.PLAIN.call(bean(ByResolver.class), id);

        assertThat(manager.getCache("plain-byResolver").get(id, String.class)).isEqualTo("product " + id);
        assertThat(manager.getCacheNames()).doesNotContain("byResolver");
    }

    @Test
    void putBesideCacheableCallsTheMethodEachTime() throws Exception {
        Catalog catalog = bean(WithPut.class);
        Kind.PLAIN.call(catalog, 100);
        int calls = calls(catalog);

        Kind.PLAIN.call(catalog, 100);
        assertThat(calls(catalog)).isEqualTo(calls + 1);
    }
}
