package io.stampedeguard.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Packages;
import org.junit.jupiter.api.Test;

/** Packages are small, and their dependencies have no cycles. */
final class ArchitectureTest {
    private final Packages packages = Packages.of("io.stampedeguard.benchmarks");

    @Test
    void packagesHaveNoCycles() {
        packages.checkNoCycles();
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(packages.sizes().keySet())
                .filteredOn(name -> !isGenerated(name))
                .hasSizeGreaterThan(2);
        assertThat(packages.largerThan(20)).allMatch(ArchitectureTest::isGenerated);
    }

    private static boolean isGenerated(String place) {
        return place.endsWith("jmh_generated");
    }
}
