package io.stampedeguard.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.stampedeguard.testkit.Packages;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard.redis";
    private static final String INTERNAL = "internal.";
    private static final Packages PACKAGES = Packages.of(ROOT);
    private static final JavaClasses MODULE = PACKAGES.classes();

    @Test
    void onlyThePackageItselfIsExportedToEverybody() throws Exception {
        URI home = RedisStore.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();
        try (InputStream bytes = home.resolve("module-info.class").toURL().openStream()) {
            ModuleDescriptor descriptor = ModuleDescriptor.read(bytes);
            assertThat(descriptor.name()).isEqualTo("io.stampedeguard.redis");
            assertThat(descriptor.exports().stream()
                            .collect(Collectors.toMap(
                                    ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets)))
                    .isEqualTo(Map.of(
                            "io.stampedeguard.redis", Set.of(),
                            "io.stampedeguard.redis.internal.parts",
                                    Set.of("io.stampedeguard.filter", "io.stampedeguard.redlock"),
                            "io.stampedeguard.redis.internal.command", Set.of("io.stampedeguard.filter")));
        }
    }

    @Test
    void onlyWhatAUserWritesIsPublicInTheExportedPackage() {
        assertThat(MODULE.stream()
                        .filter(type -> type.getPackageName().equals(ROOT))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder("RedisStore", "RedisStoreBuilder", "RedisStoreOptions");
    }

    /** Dependencies go one way: each package depends only on those listed for it, which are below it in this list. */
    @Test
    void packagesDependOnEachOtherInOneDirection() {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        arrows.put("", Set.of("subscribe", "command", "connect"));
        arrows.put("parts", Set.of("command", "connect"));
        arrows.put("subscribe", Set.of("command", "cluster", "connect"));
        arrows.put("command", Set.of("combine", "pipeline", "cluster", "connect"));
        arrows.put("combine", Set.of("pipeline", "connect"));
        arrows.put("pipeline", Set.of("cluster", "connect"));
        arrows.put("cluster", Set.of("connect"));
        arrows.put("connect", Set.of());
        Map<String, Set<String>> found = new HashMap<>();
        PACKAGES.arrows()
                .forEach((from, targets) -> found.put(
                        shortened(from),
                        targets.stream().map(ArchitectureTest::shortened).collect(Collectors.toSet())));
        assertThat(found).isEqualTo(arrows);
        List<String> order = List.copyOf(arrows.keySet());
        arrows.forEach((from, targets) ->
                assertThat(order.subList(order.indexOf(from) + 1, order.size())).containsAll(targets));
    }

    /** Returns the name of an internal package as in the map above. */
    private static String shortened(String place) {
        return place.startsWith(INTERNAL) ? place.substring(INTERNAL.length()) : place;
    }

    @Test
    void noChainOfPackagesIsLongerThanSeven() {
        assertThat(PACKAGES.longestChain()).hasSizeBetween(2, 7);
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(PACKAGES.sizes()).isNotEmpty();
        assertThat(PACKAGES.largerThan(20)).isEmpty();
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
                        "io.stampedeguard.internal.spi",
                        "io.stampedeguard.loader",
                        "io.stampedeguard.store..",
                        "io.stampedeguard.event..",
                        "io.stampedeguard.internal.failure..",
                        "io.stampedeguard.codec..",
                        "io.stampedeguard.time..")
                .check(MODULE);
    }
}
