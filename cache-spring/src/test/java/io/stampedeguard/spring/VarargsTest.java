package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Methods with a variable number of arguments, whose results {@code unless} may refuse. */
final class VarargsTest {
    private final AnnotationConfigApplicationContext context = Contexts.of(Products.class);
    private final Products products = context.getBean(Products.class);

    static class Products extends Slow {
        @Cacheable(cacheNames = "named", unless = "#result == null")
        public String named(String... names) {
            return count() + ": " + String.join(",", names);
        }

        @Cacheable(cacheNames = "numbered", unless = "#result == null")
        public String numbered(String shop, long... ids) {
            return count() + ": " + shop + Arrays.toString(ids);
        }

        @Cacheable(cacheNames = "refused", unless = "#root.args.length == 1 + #shop and #root.args[#shop] == 7")
        public String refused(int shop, long... ids) {
            return count() + ": " + shop + Arrays.toString(ids);
        }
    }

    @AfterEach
    void close() {
        context.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void stringsAreAnArray(int count) {
        String[] names = {"lamp", "desk"};
        String[] some = Arrays.copyOf(names, count);
        String first = products.named(some);

        assertThat(first).isEqualTo("1: " + String.join(",", some));
        assertThat(products.named(some)).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void numbersAfterAnotherArgumentAreAnArray(int count) {
        long[] some = Arrays.copyOf(new long[] {3, 4}, count);
        String first = products.numbered("shop", some);

        assertThat(first).isEqualTo("1: shop" + Arrays.toString(some));
        assertThat(products.numbered("shop", some)).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void unlessSeesEachOfTheArguments(int count) {
        long[] some = new long[count];
        some[count - 1] = 7;
        products.refused(count, some);
        products.refused(count, some);

        assertThat(products.calls()).isEqualTo(2);
    }
}
