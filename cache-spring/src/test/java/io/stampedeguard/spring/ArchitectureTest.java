package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.stampedeguard.testkit.Packages;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The packages of the module, and what each of them knows. */
final class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard.spring";

    /** What applications implement, annotate, and configure, and internal packages therefore know. */
    private static final Set<String> LEAVES_OF_THE_API =
            Set.of("CacheTags", "StampedeCacheOptions", "StampedeKeyConverter", "StampedeTag", "TransactionOptions");

    private final Packages packages = Packages.of(ROOT);

    @Test
    void packagesBesideTheCallsDoNotKnowEachOther() {
        assertThat(packages.arrows().get("internal.key")).isSubsetOf("");
        assertThat(packages.arrows().get("internal.value")).isSubsetOf("");
        assertThat(packages.arrows().get("internal.transaction")).isSubsetOf("");
        assertThat(packages.arrows().get("internal.call"))
                .isSubsetOf("", "internal.key", "internal.transaction", "internal.value");
    }

    @Test
    void internalPackagesKnowOnlyLeavesOfTheApi() {
        assertThat(packages.classes().stream()
                        .filter(type -> !type.getPackageName().equals(ROOT))
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                        .filter(type -> type.getPackageName().equals(ROOT))
                        .map(type -> type.getName().substring(ROOT.length() + 1).replaceFirst("\\$.*", ""))
                        .distinct())
                .isSubsetOf(LEAVES_OF_THE_API);
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(packages.largerThan(20)).isEmpty();
    }

    @Test
    void publicNamesAreTheIntendedOnes() {
        assertThat(packages.classes().stream()
                        .filter(type -> type.getPackageName().equals(ROOT))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && !type.isNestedClass()))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder(
                        "CacheTags",
                        "Guard",
                        "StampedeCache",
                        "StampedeCacheCustomizer",
                        "StampedeCacheManager",
                        "StampedeCacheManagerBuilder",
                        "StampedeCacheOptions",
                        "StampedeCachingConfiguration",
                        "StampedeKeyConverter",
                        "StampedeTag",
                        "StampedeTags",
                        "TransactionOptions",
                        "TypedCache");
    }

    @Test
    void nobodyReadsAClockOrSleeps() {
        packages.checkNoClocks();
    }
}
