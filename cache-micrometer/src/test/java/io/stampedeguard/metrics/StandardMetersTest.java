package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;
import io.micrometer.core.instrument.binder.cache.CaffeineStatsCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.testkit.ForEach;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/**
 * No meter of this library has the name of one of Micrometer's own cache binders, which use other tags and types: a
 * Prometheus registry rejects the second of two meters of one name if their types differ, and in Micrometer 1.15 also
 * if their tags differ.
 */
final class StandardMetersTest {
    private static final String BINDERS = "io/micrometer/core/instrument/binder/";
    private static final Pattern NAME = Pattern.compile("\\bcache\\.[a-z.]+", Pattern.CASE_INSENSITIVE);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<String> rejected = new ArrayList<>();

    StandardMetersTest() {
        registry.config().onMeterRegistrationFailed((id, reason) -> rejected.add(id.getName() + ": " + reason));
    }

    /** Binders of Micrometer, with tags as Spring Boot adds them. */
    private enum Binder {
        CACHE_METRICS(to -> CaffeineCacheMetrics.monitor(
                to, Caffeine.newBuilder().recordStats().build(), "products", "cache.manager", "main")),
        STATS_COUNTER(to -> new CaffeineStatsCounter(to, "products", Tags.of("cache.manager", "main"))
                .registerSizeMetric(Caffeine.newBuilder().build()));

        private final Consumer<MeterRegistry> bound;

        Binder(Consumer<MeterRegistry> bound) {
            this.bound = bound;
        }
    }

    @ForEach
    void metersOfABinderAreAcceptedAfterOurs(Binder binder) {
        new MicrometerListener(registry).onOpen("products", FixedGauges.IDLE);
        binder.bound.accept(registry);

        assertAllAreShown(binder);
    }

    @ForEach
    void ourMetersAreAcceptedAfterThoseOfABinder(Binder binder) {
        binder.bound.accept(registry);
        new MicrometerListener(registry).onOpen("products", FixedGauges.IDLE);

        assertAllAreShown(binder);
    }

    private void assertAllAreShown(Binder binder) {
        assertThat(rejected).isEmpty();
        assertThat(registry.scrape())
                .contains("cache_size{cache=\"products\",cache_manager=\"main\"}")
                .contains("cache_stampede_near_size{cache=\"products\"}");
        MeterRegistry alone = new SimpleMeterRegistry();
        binder.bound.accept(alone);
        assertThat(names(registry)).containsAll(names(alone)).containsAll(names(ours()));
    }

    @Test
    void noBinderOfMicrometerHasANameOfOurs() throws Exception {
        assertThat(namesInBinders())
                .contains("cache.size", "cache.gets", "cache.puts", "cache.evictions", "cache.load.duration")
                .contains("cache.eviction.weight", "cache.removals", "cache.near.evictions")
                .noneMatch(name -> name.startsWith("cache.stampede"));
        assertThat(names(ours())).allMatch(name -> name.startsWith("cache.stampede."));
    }

    /** The build runs the tests of the meters with the newest Micrometer and with the oldest supported one. */
    @Test
    void micrometerIsTheVersionThatTheBuildAsksFor() throws Exception {
        assertThat(micrometer().getFileName())
                .hasToString("micrometer-core-" + System.getProperty("stampede.micrometer") + ".jar");
    }

    private static MeterRegistry ours() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new MicrometerListener(registry).onOpen("products", FixedGauges.IDLE);
        return registry;
    }

    private static Set<String> names(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Text that resembles a cache meter's name in the class files of all binders, even if their caches are not on the
     * class path.
     */
    private static Set<String> namesInBinders() throws Exception {
        Set<String> names = new TreeSet<>();
        try (JarFile jar = new JarFile(micrometer().toFile())) {
            for (ZipEntry entry : (Iterable<ZipEntry>) jar.stream().<ZipEntry>map(one -> one)::iterator) {
                if (entry.getName().startsWith(BINDERS) && entry.getName().endsWith(".class")) {
                    names.addAll(namesIn(jar, entry));
                }
            }
        }
        return names;
    }

    private static Path micrometer() throws URISyntaxException {
        return Path.of(CacheMeterBinder.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static List<String> namesIn(JarFile jar, ZipEntry binder) throws IOException {
        try (InputStream in = jar.getInputStream(binder)) {
            String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return NAME.matcher(text).results().map(MatchResult::group).toList();
        }
    }
}
