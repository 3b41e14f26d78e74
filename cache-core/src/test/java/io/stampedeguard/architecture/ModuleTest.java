package io.stampedeguard.architecture;

import static java.lang.module.ModuleDescriptor.Requires.Modifier.MANDATED;
import static java.lang.module.ModuleDescriptor.Requires.Modifier.STATIC;
import static java.lang.module.ModuleDescriptor.Requires.Modifier.TRANSITIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the module exports and requires, read from the compiled descriptor. */
final class ModuleTest {
    private ModuleDescriptor module;

    @BeforeEach
    void readDescriptor() throws IOException {
        try (InputStream in = Files.newInputStream(Compiled.library().resolve("module-info.class"))) {
            module = ModuleDescriptor.read(in);
        }
    }

    @Test
    void exportsThesePackagesToEverybodyAndNoOther() {
        assertThat(exportedToEverybody())
                .containsExactlyInAnyOrder(
                        "io.stampedeguard",
                        "io.stampedeguard.codec",
                        "io.stampedeguard.event",
                        "io.stampedeguard.filter",
                        "io.stampedeguard.loader",
                        "io.stampedeguard.policy",
                        "io.stampedeguard.report",
                        "io.stampedeguard.store",
                        "io.stampedeguard.time");
    }

    private Set<String> exportedToEverybody() {
        return module.exports().stream()
                .filter(one -> !one.isQualified())
                .map(Exports::source)
                .collect(Collectors.toSet());
    }

    /**
     * Advice from measured loads is in another module, which needs what listeners do not get; others need what is thrown, and stores
     * what they take and return.
     */
    @Test
    void internalPackagesAreExportedToModulesOfThisProjectOnly() {
        assertThat(module.exports().stream().filter(Exports::isQualified))
                .extracting(Exports::source, Exports::targets)
                .containsExactlyInAnyOrder(
                        tuple("io.stampedeguard.internal.advice", Set.of("io.stampedeguard.micrometer")),
                        tuple(
                                "io.stampedeguard.internal.failure",
                                Set.of(
                                        "io.stampedeguard.filter",
                                        "io.stampedeguard.redis",
                                        "io.stampedeguard.redlock",
                                        "io.stampedeguard.spring")),
                        tuple(
                                "io.stampedeguard.internal.spi",
                                Set.of(
                                        "io.stampedeguard.redis",
                                        "io.stampedeguard.redlock",
                                        "io.stampedeguard.testkit")));
    }

    /** The class path makes every package accessible: the name {@code internal} marks those that are not API. */
    @Test
    void packagesThatAreNotExportedAreThoseNamedInternal() throws IOException {
        Set<String> exported = exportedToEverybody();

        assertThat(packages()).containsAll(exported);
        assertThat(packages())
                .allSatisfy(name -> assertThat(exported.contains(name))
                        .as(name)
                        .isNotEqualTo(List.of(name.split("\\.")).contains("internal")));
    }

    private static Set<String> packages() throws IOException {
        Path library = Compiled.library();
        try (Stream<Path> files = Files.walk(library)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(library::relativize)
                    .filter(file -> file.getParent() != null)
                    .map(file -> file.getParent().toString().replace(File.separatorChar, '.'))
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void requiresNoThirdPartyAtRunTimeButSlf4jAndCaffeine() {
        Map<String, Set<Requires.Modifier>> required =
                module.requires().stream().collect(Collectors.toMap(Requires::name, Requires::modifiers));

        assertThat(required)
                .isEqualTo(Map.of(
                        "java.base", Set.of(MANDATED),
                        "org.jspecify", Set.of(STATIC, TRANSITIVE),
                        "org.slf4j", Set.of(),
                        "com.github.benmanes.caffeine", Set.of(),
                        "com.fasterxml.jackson.databind", Set.of(STATIC),
                        "tools.jackson.databind", Set.of(STATIC),
                        "org.lz4.java", Set.of(STATIC)));
    }

    @Test
    void opensAndProvidesNothingAndUsesOneService() {
        assertThat(module.name()).isEqualTo("io.stampedeguard.core");
        assertThat(module.isOpen()).isFalse();
        assertThat(module.opens()).isEmpty();
        assertThat(module.uses()).containsExactly("io.stampedeguard.internal.advice.LoadAdvisorFactory");
        assertThat(module.provides()).isEmpty();
    }
}
