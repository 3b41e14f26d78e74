package io.stampedeguard.spring.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of Spring's caches become names that the core allows. */
final class CacheNamesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "products",
                "com.acme.Product",
                "a_b-c.1",
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._"
            })
    void allowedNameStays(String name) {
        assertThat(CacheNames.coreName(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:info", "user info", "größe", "", "a/b/c", "::", "\uD83D\uDE00", "line\nbreak"})
    void otherNameBecomesAllowedOneThatStaysTheSame(String name) {
        assertThat(CacheNames.coreName(name))
                .matches("[A-Za-z0-9._-]{1,64}")
                .isEqualTo(CacheNames.coreName(name))
                .isNotEqualTo(name);
    }

    @Test
    void otherNameStaysReadableInAllVersions() {
        assertThat(CacheNames.coreName("user:info")).isEqualTo("user-info-143c7a1a50db");
    }

    @Test
    void differentNamesStayDifferent() {
        Stream<String> names =
                Stream.of("user:info", "user/info", "user info", "user-info", "user:info ", "user::info");

        assertThat(names.map(CacheNames::coreName)).doesNotHaveDuplicates();
    }

    @Test
    void longNamesStayDifferent() {
        String start = "x".repeat(100);

        assertThat(CacheNames.coreName(start + "1")).hasSizeLessThan(65).isNotEqualTo(CacheNames.coreName(start + "2"));
    }

    @Test
    void propertyOfAPlainNameHasNoBrackets() {
        assertThat(CacheNames.property("product-names2", "soft-ttl"))
                .isEqualTo("stampede.caches.product-names2.soft-ttl");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:info", "com.acme.Product", "product_names", "größe"})
    void propertyOfAnyOtherNameHasBrackets(String name) {
        assertThat(CacheNames.property(name, "soft-ttl")).isEqualTo("stampede.caches[" + name + "].soft-ttl");
    }
}
