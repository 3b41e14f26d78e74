package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.spring.StampedeTags;
import io.stampedeguard.spring.internal.key.TagExpressions;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.cache.interceptor.SimpleKey;

/** What a native image contains. */
final class RuntimeHintsTest {
    @Test
    void scriptsAreResources() {
        RuntimeHints hints = new RuntimeHints();
        new StampedeRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(getClass().getClassLoader().getResource("io/stampedeguard/redis/renew.lua"))
                .isNotNull();
        assertThat(RuntimeHintsPredicates.resource().forResource("io/stampedeguard/redis/renew.lua"))
                .accepts(hints);
    }

    @Test
    void argumentsOfKeysAreReadByReflection() {
        RuntimeHints hints = new RuntimeHints();
        new StampedeRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(SimpleKey.class.getDeclaredFields())
                .filteredOn(field -> field.getType() == Object[].class)
                .singleElement()
                .satisfies(
                        field -> assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(field))
                                .accepts(hints));
    }

    @Test
    void expressionsCallTagsAndRoot() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new StampedeRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(StampedeTags.class.getMethod("tag", Object.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(TagExpressions.Root.class.getMethod("getArgs")))
                .accepts(hints);
    }
}
