package io.stampedeguard.metrics;

import static java.lang.module.ModuleDescriptor.Requires.Modifier.MANDATED;
import static java.lang.module.ModuleDescriptor.Requires.Modifier.STATIC;
import static java.lang.module.ModuleDescriptor.Requires.Modifier.TRANSITIVE;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the module exports and requires, and that the core finds it on the module path. */
final class ModuleTest {
    private static final String NAME = "io.stampedeguard.micrometer";
    private static final Set<String> NEEDED =
            Set.of("caffeine", "jspecify", "slf4j-api", "micrometer-core", "micrometer-observation");
    private static final Set<String> NEEDED_BY_MICROMETER =
            Set.of("micrometer-commons", "HdrHistogram", "LatencyUtils");

    private final ModuleDescriptor module = ModuleFinder.of(homeOf(MicrometerListener.class))
            .find(NAME)
            .orElseThrow()
            .descriptor();

    @Test
    void exportsTheListenerAndProvidesTheAdvisor() {
        assertThat(module.exports()).extracting(Exports::source).containsExactly("io.stampedeguard.metrics");
        assertThat(module.provides()).singleElement().satisfies(service -> {
            assertThat(service.service()).isEqualTo("io.stampedeguard.internal.advice.LoadAdvisorFactory");
            assertThat(service.providers())
                    .containsExactly("io.stampedeguard.metrics.internal.advice.MeasuredLoadsFactory");
        });
    }

    @Test
    void requiresTheCacheAndMicrometer() {
        assertThat(module.requires().stream().collect(Collectors.toMap(Requires::name, Requires::modifiers)))
                .isEqualTo(Map.of(
                        "java.base", Set.of(MANDATED),
                        "org.jspecify", Set.of(STATIC, TRANSITIVE),
                        "io.stampedeguard.core", Set.of(TRANSITIVE),
                        "micrometer.core", Set.of(TRANSITIVE),
                        "micrometer.observation", Set.of(TRANSITIVE)));
    }

    @Test
    void applicationThatRequiresOnlyTheCacheGetsTheAdvisor() {
        Configuration bound = Configuration.resolveAndBind(
                modulePath(),
                List.of(ModuleLayer.boot().configuration()),
                ModuleFinder.of(),
                Set.of("io.stampedeguard.core"));

        assertThat(bound.findModule(NAME)).isPresent();
    }

    private static ModuleFinder modulePath() {
        Stream<Path> jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(ModuleTest::isNeeded);
        Stream<Path> ours =
                Stream.of(StampedeGuardedCache.class, MicrometerListener.class).map(ModuleTest::homeOf);
        return ModuleFinder.of(Stream.concat(ours, jars).toArray(Path[]::new));
    }

    private static boolean isNeeded(Path jar) {
        String name = jar.getFileName().toString().replaceAll("-\\d.*", "");
        return NEEDED.contains(name) || NEEDED_BY_MICROMETER.contains(name);
    }

    private static Path homeOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
