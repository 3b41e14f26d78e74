package io.stampedeguard.spring.boot;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.stampedeguard.testkit.Packages;
import org.junit.jupiter.api.Test;

/** The module is one package, whose public names are those that an application can name. */
final class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard.spring.boot";

    private final Packages packages = Packages.of(ROOT);

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(packages.largerThan(20)).isEmpty();
    }

    @Test
    void publicNamesAreTheIntendedOnes() {
        assertThat(packages.classes().stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder(
                        "StampedeAutoConfiguration",
                        "StampedeEndpoint",
                        "StampedeEndpointAutoConfiguration",
                        "StampedeHealthAutoConfiguration",
                        "StampedeMetricsAutoConfiguration");
    }

    @Test
    void internalsOfOtherModulesAreNotUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.stampedeguard..internal..")
                .check(packages.classes());
    }

    @Test
    void onlyOneClassKnowsBootsRedisModule() {
        noClasses()
                .that()
                .doNotHaveSimpleName("BootConnection")
                .and()
                .doNotHaveSimpleName("BootConnectionConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot.data.redis..")
                .check(packages.classes());
    }

    @Test
    void nobodyReadsAClockOrSleeps() {
        packages.checkNoClocks();
    }
}
