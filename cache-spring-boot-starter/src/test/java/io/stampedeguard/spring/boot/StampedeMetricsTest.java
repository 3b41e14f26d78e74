package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.metrics.MicrometerListener;
import io.stampedeguard.spring.boot.Contexts.Products;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The meters of all caches, those of later included. */
@ExtendWith(OutputCaptureExtension.class)
final class StampedeMetricsTest {
    private final ApplicationContextRunner contexts =
            Contexts.inMemory().withBean(Products.class).withBean(MeterRegistry.class, SimpleMeterRegistry::new);

    private static double count(MeterRegistry registry, String name, String... tags) {
        return registry.get(name).tags(tags).functionCounter().count();
    }

    @Test
    void metersOfBootCountACacheThatIsCreatedLater() {
        contexts.run(context -> {
            Products products = context.getBean(Products.class);
            products.find(1);
            products.find(1);
            products.find(1);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            String[] tags = {"cache", "products", "name", "products", "cache.manager", "cacheManager"};
            assertThat(count(registry, "cache.gets", with("result", "hit", tags)))
                    .isEqualTo(2);
            assertThat(count(registry, "cache.gets", with("result", "miss", tags)))
                    .isEqualTo(1);
            assertThat(count(registry, "cache.puts", tags)).isEqualTo(1);
            assertThat(count(registry, "cache.evictions", tags)).isZero();
        });
    }

    private static String[] with(String tag, String value, String... more) {
        String[] all = Arrays.copyOf(more, more.length + 2);
        all[more.length] = tag;
        all[more.length + 1] = value;
        return all;
    }

    @Test
    void cacheOfTheConfigurationHasOneSetOfMeters(CapturedOutput log) {
        contexts.withPropertyValues("stampede.caches.products.soft-ttl=1m").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean(Products.class).find(1);
            assertThat(registry.find("cache.puts").functionCounters())
                    .singleElement()
                    .extracting(FunctionCounter::count)
                    .isEqualTo(1.0);
            assertThat(log).doesNotContain("already registered");
        });
    }

    @Test
    void metersOfTheLibraryAreThereToo() {
        contexts.run(context -> {
            context.getBean(Products.class).find(1);
            assertThat(context.getBean(MeterRegistry.class)
                            .find("cache.stampede.loads")
                            .tag("cache", "products")
                            .timers())
                    .isNotEmpty();
        });
    }

    @Test
    void histogramsAreOnlyPublishedIfAskedFor() {
        contexts.withPropertyValues("stampede.metrics.histograms=true")
                .run(context -> assertThat(context).hasSingleBean(MicrometerListener.class));
    }

    @Test
    void loadsAreObservedUnlessSwitchedOff() {
        assertThat(observed("stampede.observations.enabled=true")).contains("cache.stampede.load");
        assertThat(observed("stampede.observations.enabled=false")).isEmpty();
    }

    private List<String> observed(String property) {
        List<String> names = new CopyOnWriteArrayList<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context started) {
                names.add(started.getName());
            }

            @Override
            public boolean supportsContext(Observation.Context any) {
                return true;
            }
        });
        contexts.withBean(ObservationRegistry.class, () -> observations)
                .withPropertyValues(property)
                .run(context -> context.getBean(Products.class).find(1));
        return names;
    }

    @Test
    void applicationWithoutRegistryHasNoMeters() {
        Contexts.inMemory().run(context -> assertThat(context).doesNotHaveBean(MicrometerListener.class));
    }
}
