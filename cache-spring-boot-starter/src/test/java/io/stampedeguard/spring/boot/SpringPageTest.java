package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.spring.CacheTags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;

/** {@code docs/spring.md}: its code is compiled, and does what the page states. */
final class SpringPageTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Path SOURCE =
            Path.of("src", "test", "java", "io", "stampedeguard", "spring", "boot", "SpringPageTest.java");

    /** A row of the database. */
    public record Product(long id, long supplierId, String supplier) {}

    /** The methods of the page; products 1 to 9 are those of supplier 7. */
    public static class Catalogue {
        private final AtomicInteger queries = new AtomicInteger();
        private final Map<Long, String> suppliers = new ConcurrentHashMap<>(Map.of(1L, "Miller", 7L, "Smith"));

        public int queries() {
            return queries.get();
        }

        @Cacheable("products")
        @CacheTags("'supplier:' + #result.supplierId")
        public Product find(long id) {
            queries.incrementAndGet();
            long supplierId = id < 10 ? 7 : 1;
            return new Product(id, supplierId, suppliers.get(supplierId));
        }

        @CacheEvict(cacheNames = "products", key = "@stampede.tag('supplier:' + #supplierId)")
        public void renameSupplier(long supplierId, String name) {
            suppliers.put(supplierId, name);
        }
    }

    /** But for the bodies of its methods. */
    @Test
    void codeOfThePageIsCompiled() throws IOException {
        String compiled = withoutIndentation(Files.readString(SOURCE));

        assertThat(BLOCK.matcher(Files.readString(Path.of("..", "docs", "spring.md")))
                        .results()
                        .flatMap(block -> Pattern.compile(" … }\n+").splitAsStream(block.group(1))))
                .hasSize(2)
                .allSatisfy(method -> assertThat(compiled).contains(withoutIndentation(method)));
    }

    private static String withoutIndentation(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    @Test
    void changeOfASupplierRemovesItsProductsOnly() {
        Contexts.inMemory().withBean(Catalogue.class).run(context -> {
            Catalogue catalogue = context.getBean(Catalogue.class);
            catalogue.find(1);
            catalogue.find(2);
            catalogue.find(11);

            catalogue.renameSupplier(7, "Jones");

            assertThat(catalogue.find(1)).isEqualTo(new Product(1, 7, "Jones"));
            assertThat(catalogue.find(2)).isEqualTo(new Product(2, 7, "Jones"));
            assertThat(catalogue.find(11)).isEqualTo(new Product(11, 1, "Miller"));
            assertThat(catalogue.queries()).isEqualTo(5);
        });
    }
}
