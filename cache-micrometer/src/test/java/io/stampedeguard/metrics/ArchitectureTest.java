package io.stampedeguard.metrics;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.stampedeguard.testkit.Packages;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The module knows Micrometer and what the core exports, and its two packages do not know each other. */
final class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard.metrics";

    private final Packages packages = Packages.of(ROOT);

    @Test
    void metersAndAdviceDoNotKnowEachOther() {
        assertThat(packages.arrows()).isEqualTo(Map.of("", Set.of(), "internal.advice", Set.of()));
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(packages.largerThan(20)).isEmpty();
    }

    @Test
    void publicNamesAreTheIntendedOnes() {
        assertThat(packages.classes().stream()
                        .filter(type -> type.getPackageName().equals(ROOT))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder("MicrometerListener", "MicrometerListenerBuilder");
    }

    @Test
    void metersKnowMicrometerAndTheEventsOnly() {
        classes()
                .that()
                .resideInAPackage(ROOT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "io.micrometer..", ROOT, "io.stampedeguard.event")
                .check(packages.classes());
    }

    /** So advice needs no jar of Micrometer. */
    @Test
    void adviceKnowsNoMicrometer() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".internal.advice")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        ROOT + ".internal.advice",
                        "io.stampedeguard.event",
                        "io.stampedeguard.filter",
                        "io.stampedeguard.internal.advice",
                        "io.stampedeguard.policy")
                .check(packages.classes());
    }

    @Test
    void nobodyReadsAClockOrSleeps() {
        packages.checkNoClocks();
    }
}
