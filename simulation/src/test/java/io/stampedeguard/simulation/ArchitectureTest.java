package io.stampedeguard.simulation;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Packages;
import org.junit.jupiter.api.Test;

final class ArchitectureTest {
    private static final Packages PACKAGES = Packages.of("io.stampedeguard.simulation");

    /** Time, threads, and the server are simulated; of the testbed it uses what measures and prints. */
    @Test
    void nothingRealIsUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "redis.clients.jedis..",
                        "java.net..",
                        "io.stampedeguard.testbed",
                        "io.stampedeguard.testbed.fault",
                        "io.stampedeguard.testbed.fleet",
                        "io.stampedeguard.testbed.topology"))
                .check(PACKAGES.classes());
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(PACKAGES.sizes()).isNotEmpty();
        assertThat(PACKAGES.largerThan(20)).isEmpty();
    }
}
