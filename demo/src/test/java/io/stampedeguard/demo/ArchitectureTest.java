package io.stampedeguard.demo;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Packages are small, and depend on each other one way. */
final class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.stampedeguard.demo");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.stampedeguard.(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        Map<String, Long> types = MODULE.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types).hasSizeGreaterThan(2);
        assertThat(types.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(20));
    }
}
