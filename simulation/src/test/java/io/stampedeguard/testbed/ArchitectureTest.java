package io.stampedeguard.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Packages;
import org.junit.jupiter.api.Test;

/**
 * Packages are small, and their dependencies have no cycles. Here, so that the testbed needs nothing of the core, and is built beside
 * it.
 */
final class ArchitectureTest {
    private final Packages packages = Packages.of("io.stampedeguard.testbed");

    @Test
    void packagesHaveNoCycles() {
        packages.checkNoCycles();
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(packages.sizes()).hasSizeGreaterThan(2);
        assertThat(packages.largerThan(20)).isEmpty();
    }
}
