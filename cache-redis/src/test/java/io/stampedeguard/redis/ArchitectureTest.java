package io.stampedeguard.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard.redis";
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void onlyThePackageItselfIsExported() throws Exception {
        URI home = RedisStore.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();
        try (InputStream bytes = home.resolve("module-info.class").toURL().openStream()) {
            ModuleDescriptor descriptor = ModuleDescriptor.read(bytes);
            assertThat(descriptor.name()).isEqualTo("io.stampedeguard.redis");
            assertThat(descriptor.exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactly("io.stampedeguard.redis");
        }
    }

    @Test
    void onlyWhatAUserWritesIsPublicInTheExportedPackage() {
        assertThat(MODULE.stream()
                        .filter(type -> type.getPackageName().equals(ROOT))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder(
                        "RedisStore",
                        "RedisStoreOptions",
                        "Builder",
                        "RedlockLeases",
                        "ChangeFeed",
                        "RedisKeyFilter",
                        "RedisKeyFilterBuilder");
    }

    @Test
    void nobodyReadsAClockOrSleeps() {
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Instant.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(LockSupport.class)
                .check(MODULE);
    }

    @Test
    void itKnowsJedisItsPoolTheStoreAndLittleElse() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.net.ssl..",
                        "org.jspecify..",
                        "org.slf4j..",
                        "redis.clients.jedis..",
                        "org.apache.commons.pool2..",
                        "io.stampedeguard.redis..",
                        "io.stampedeguard.store..",
                        "io.stampedeguard.codec..",
                        "io.stampedeguard.filter..",
                        "io.stampedeguard.time..")
                .check(MODULE);
    }
}
