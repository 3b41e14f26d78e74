package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

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
}
