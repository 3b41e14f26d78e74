package io.stampedeguard.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.stampedeguard.testkit.Packages;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final Packages PACKAGES = Packages.of("io.stampedeguard.cli");
    private static final JavaClasses MODULE = PACKAGES.classes();

    /**
     * The commands use only exported packages of the library, what its stores take and return, reports on what they hold, the names of
     * its keys in Redis, and its checks of servers, and nothing of the testbed that starts a server.
     */
    @Test
    void itDependsOnExportedPackagesAndOnWhatAllProgramsShare() {
        classes()
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(
                                        "java..",
                                        "org.jspecify..",
                                        "picocli..",
                                        "redis.clients.jedis..",
                                        "io.stampedeguard.cli",
                                        "io.stampedeguard.codec",
                                        "io.stampedeguard.internal.spi",
                                        "io.stampedeguard.redis",
                                        "io.stampedeguard.report",
                                        "io.stampedeguard.loader",
                                        "io.stampedeguard.store",
                                        "io.stampedeguard.testbed.program")
                                .or(
                                        nameMatching(
                                                "io\\.stampedeguard\\.internal\\.entry\\.StoredReports|io\\.stampedeguard\\.redis\\.internal\\.(command\\.(RedisKeys|Script)|connect\\.(ClientConnections|ClientFactory|RedisFailure|RedisUri|ServerCheck))(\\$.*)?")))
                .check(MODULE);
    }

    @Test
    void nothingIsPublicAndNoPackageHasMoreThanTwentyTypes() {
        assertThat(PACKAGES.sizes()).isNotEmpty();
        assertThat(PACKAGES.largerThan(20)).isEmpty();
        assertThat(MODULE.stream().filter(JavaClass::isTopLevelClass))
                .filteredOn(type -> !type.getSimpleName().equals("package-info"))
                .noneMatch(type -> type.getModifiers().contains(JavaModifier.PUBLIC));
    }
}
