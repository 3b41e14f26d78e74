package io.stampedeguard.filter;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.testkit.Packages;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard.filter";

    /** The package of the interface has the same name as the root. */
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT + ".bloom", ROOT + ".internal", ROOT + ".redis");

    @Test
    void packagesDependOnEachOtherInOneDirection() {
        assertThat(new Packages(ROOT, MODULE).arrows())
                .isEqualTo(Map.of(
                        "redis", Set.of("", "bloom", "internal"),
                        "bloom", Set.of("", "internal"),
                        "internal", Set.of("")));
    }

    @Test
    void onlyWhatAUserWritesIsPublicInTheExportedPackages() {
        assertThat(MODULE.stream()
                        .filter(resideInAPackage(ROOT + ".internal").negate())
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder(
                        "KeyHash",
                        "LocalKeyFilter",
                        "LocalKeyFilterBuilder",
                        "RedisKeyFilter",
                        "RedisKeyFilterBuilder");
    }

    @Test
    void onlyTheRedisFilterUsesRedisAndThreeOfItsInternals() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".redis")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.stampedeguard.redis..", "redis..")
                .check(MODULE);
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAPackage("io.stampedeguard.redis..")
                        .negate()
                        .or(type(RedisStore.class))
                        .or(type(StoreParts.class))
                        .or(type(Commands.Needed.class))
                        .or(type(Script.class))
                        .or(type(Script.Call.class)))
                .check(MODULE);
    }

    @Test
    void onlyKeyHashesKnowsHash4jAndNobodyOtherThirdParties() {
        classes()
                .that()
                .haveNameNotMatching(".*\\.KeyHashes")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "org.jspecify..", "org.slf4j", "io.stampedeguard.."))
                .check(MODULE);
    }
}
