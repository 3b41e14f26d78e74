package io.stampedeguard.redlock;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.testkit.Packages;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses MODULE =
            Packages.of("io.stampedeguard.redlock").classes();

    @Test
    void onlyTheStoreIsPublic() {
        assertThat(MODULE.stream().filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .extracting(JavaClass::getSimpleName)
                .containsExactly("RedlockStore");
    }

    @Test
    void onlyTheStoreAndItsPartsAreUsedFromCacheRedis() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                "org.jspecify..",
                                "org.slf4j..",
                                "io.stampedeguard.redlock",
                                "io.stampedeguard.internal.spi",
                                "io.stampedeguard.loader",
                                "io.stampedeguard.store",
                                "io.stampedeguard.event",
                                "io.stampedeguard.codec",
                                "io.stampedeguard.time")
                        .or(type(RedisStore.class))
                        .or(type(StoreParts.class))
                        .or(type(OnceAMinute.class))
                        .or(type(CallbackLog.class)))
                .check(MODULE);
    }
}
