package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is exported to Prometheus. */
final class PrometheusTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerListener listener = new MicrometerListener(registry);

    @Test
    void countersTimersAndGaugesHaveTheNamesOfTheirKind() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onRead("products", AnswerSource.NEAR);
        listener.onEvent("products", new CacheEvent.Measured(EventType.STORED, 300));
        listener.onOperation("products", Operation.READ).end(null);

        assertThat(registry.scrape())
                .contains("\ncache_stampede_gets_total{cache=\"products\",result=\"hit\"} 1.0\n")
                .contains("\ncache_stampede_lookups_total{answer=\"near\",cache=\"products\"} 1.0\n")
                .contains("\ncache_stampede_loads_saved_total{cache=\"products\"} 1.0\n")
                .contains("\ncache_stampede_payload_bytes_sum{cache=\"products\"} 300.0\n")
                .contains("\ncache_stampede_near_size{cache=\"products\"} 1000.0\n")
                .contains("\ncache_stampede_store_calls_seconds_count{cache=\"products\",command=\"read\","
                        + "outcome=\"answered\"} 1\n");
    }

    @Test
    void timersHaveNoBucketsByDefault() {
        listener.onOpen("products", FixedGauges.IDLE);
        listener.onEvent(
                "products",
                new CacheEvent.Measured(
                        EventType.LOAD_STORED, Duration.ofMillis(40).toNanos()));

        assertThat(registry.scrape())
                .contains("\ncache_stampede_loads_seconds_max{cache=\"products\",outcome=\"stored\"} 0.04\n")
                .doesNotContain("_bucket");
    }

    @Test
    void timersHaveTheChosenBucketsWithHistograms() {
        MicrometerListener withHistograms =
                MicrometerListener.builder(registry).histograms(true).build();
        withHistograms.onOpen("products", FixedGauges.IDLE);
        withHistograms.onEvent(
                "products",
                new CacheEvent.Measured(
                        EventType.LOAD_STORED, Duration.ofMillis(40).toNanos()));

        assertThat(registry.scrape())
                .contains(loadsAtMost("0.025") + "0\n")
                .contains(loadsAtMost("0.05") + "1\n")
                .contains(loadsAtMost("+Inf") + "1\n")
                .contains("\ncache_stampede_wakeup_lag_seconds_bucket{cache=\"products\",le=\"0.001\"} 0\n")
                .contains("\ncache_stampede_stale_age_seconds_bucket{cache=\"products\",le=\"86400.0\"} 0\n")
                .contains("\ncache_stampede_store_calls_seconds_bucket{cache=\"products\",command=\"put\","
                        + "outcome=\"failed\",le=\"2.5E-4\"} 0\n");
    }

    private static String loadsAtMost(String seconds) {
        return "\ncache_stampede_loads_seconds_bucket{cache=\"products\",outcome=\"stored\",le=\"" + seconds + "\"} ";
    }

    /** Prometheus' client cannot scrape timers of one name if only some have a histogram. */
    @Test
    void histogramsAreThoseOfAllCachesOfARegistry() {
        MicrometerListener.builder(registry).histograms(true).build();

        listener.onOpen("products", FixedGauges.IDLE);
        new MicrometerListener(registry).onOpen("users", FixedGauges.IDLE);

        assertThat(registry.scrape())
                .contains("loads_seconds_bucket{cache=\"products\"")
                .contains("loads_seconds_bucket{cache=\"users\"");
    }

    @Test
    void histogramsAreRefusedBesideACacheWithoutThem() {
        listener.onOpen("products", FixedGauges.IDLE);
        MicrometerListenerBuilder late = MicrometerListener.builder(registry).histograms(true);

        assertThatThrownBy(late::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before the first cache");
        listener.onClose("products", FixedGauges.IDLE);
        late.build().onOpen("products", FixedGauges.IDLE);

        assertThat(registry.scrape()).contains("loads_seconds_bucket{cache=\"products\"");
    }

    @Test
    void filterOfTheRegistryAddsAHistogramToOneTimer() {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return id.getName().equals("cache.stampede.loads")
                        ? DistributionStatisticConfig.builder()
                                .serviceLevelObjectives(Duration.ofSeconds(2).toNanos())
                                .build()
                                .merge(config)
                        : config;
            }
        });

        listener.onOpen("products", FixedGauges.IDLE);

        assertThat(registry.scrape())
                .contains(loadsAtMost("2.0") + "0\n")
                .doesNotContain("cache_stampede_waits_seconds_bucket");
    }

    /** The number of time series of each cache, which an operator pays for. */
    @Test
    void cacheHasFewerThan160SeriesByDefault() {
        listener.onOpen("products", FixedGauges.IDLE);

        assertThat(registry.scrape().lines().filter(line -> !line.startsWith("#")))
                .hasSizeLessThan(160);
    }

    @Test
    void nothingIsLeftOfAClosedCache() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onRead("products", AnswerSource.NEAR);

        listener.onClose("products", FixedGauges.BUSY);

        assertThat(registry.scrape()).doesNotContain("products");
    }
}
