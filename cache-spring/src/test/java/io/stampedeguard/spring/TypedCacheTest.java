package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The cache for code has the same entries as annotated methods. */
final class TypedCacheTest {
    record Product(long id, String name) {}

    static class ProductService {
        private final List<Long> found = new ArrayList<>();

        List<Long> found() {
            return found;
        }

        @Cacheable("products")
        public Product find(long id) {
            found.add(id);
            return new Product(id, "of the service");
        }
    }

    @AutoClose
    private final AnnotationConfigApplicationContext context = Contexts.of(ProductService.class);

    private final ProductService service = context.getBean(ProductService.class);
    private final TypedCache<Long, Product> cache =
            context.getBean(StampedeCacheManager.class).typed("products", Long.class, Product.class);

    private static Product product(long id, String name) {
        return new Product(id, name);
    }

    @Test
    void codeReadsWhatMethodHasStoredAndViceVersa() {
        Product first = service.find(1);
        assertThat(cache.get(1L, id -> product(id, "of the loader"))).isEqualTo(first);

        cache.put(2L, product(2, "put"));
        assertThat(service.find(2)).isEqualTo(product(2, "put"));

        assertThat(cache.get(3L, id -> product(id, "of the loader"))).isEqualTo(service.find(3));
        assertThat(service.found()).containsExactly(1L);
    }

    @Test
    void absenceIsCachedForBoth() {
        assertThat(cache.get(1L, id -> null)).isNull();

        assertThat(service.find(1)).isNull();
        assertThat(cache.getIfPresent(1L)).isNull();
        assertThat(service.found()).isEmpty();
    }

    @Test
    void manyKeysAreLoadedAtOnceUnlessTheyAreThere() {
        service.find(1);
        List<Long> asked = new ArrayList<>();

        Map<Long, Product> found = cache.getAll(List.of(1L, 2L, 3L), ids -> {
            asked.addAll(ids);
            return ids.stream().filter(id -> id != 3).collect(Collectors.toMap(id -> id, id -> product(id, "loaded")));
        });

        assertThat(asked).containsExactlyInAnyOrder(2L, 3L);
        assertThat(found).isEqualTo(Map.of(1L, product(1, "of the service"), 2L, product(2, "loaded")));
        assertThat(service.find(2)).isEqualTo(product(2, "loaded"));
    }

    @Test
    void changesTakeEffectForMethods() {
        service.find(1);
        cache.invalidate(1L);
        service.find(1);
        cache.invalidateAll();
        service.find(1);
        cache.put(1L, LoadedValue.of(product(1, "tagged")).tags("supplier:7"));
        assertThat(service.find(1).name()).isEqualTo("tagged");
        cache.invalidateTag("supplier:7");
        service.find(1);

        assertThat(service.found()).containsExactly(1L, 1L, 1L, 1L);
    }

    @Test
    void expiredValuesAreServedWhileTheyAreLoadedAgain() {
        for (Runnable expiry :
                List.<Runnable>of(() -> cache.expire(1L), cache::expireAll, () -> cache.expireTag("supplier:7"))) {
            cache.put(1L, LoadedValue.of(product(1, "old")).tags("supplier:7"));
            expiry.run();

            assertThat(cache.getIfPresent(1L)).isEqualTo(product(1, "old"));
        }
    }

    @Test
    void callersGetTheExceptionOfTheLoader() {
        assertThatThrownBy(() -> cache.get(1L, id -> {
                    throw new IllegalStateException("no such product");
                }))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("no such product");
        assertThatThrownBy(() -> cache.get(2L, id -> {
                    throw new IOException("unreachable");
                }))
                .isInstanceOf(LoadException.class)
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void valueOfAnotherTypeIsMiss() {
        TypedCache<Long, String> texts =
                context.getBean(StampedeCacheManager.class).typed("products", Long.class, String.class);
        service.find(1);

        assertThat(texts.getIfPresent(1L)).isNull();
        assertThat(texts.get(1L, id -> "text")).isEqualTo("text");
    }
}
