package io.stampedeguard.spring.boot;

import io.stampedeguard.spring.StampedeTags;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.cache.interceptor.SimpleKey;

/** What a native image has to contain that no code names: the scripts that Redis runs, and what is read by reflection. */
final class StampedeRuntimeHints implements RuntimeHintsRegistrar {
    private static final String ROOT = "io.stampedeguard.spring.internal.key.TagExpressions$Root";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/stampedeguard/redis/*.lua");
        // the arguments of which a key is made, and what expressions of annotations call
        hints.reflection()
                .registerType(SimpleKey.class, MemberCategory.ACCESS_DECLARED_FIELDS)
                .registerType(StampedeTags.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(TypeReference.of(ROOT), MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
