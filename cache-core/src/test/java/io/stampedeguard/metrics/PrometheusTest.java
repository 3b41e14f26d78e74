package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.Step;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What Prometheus is shown. */
final class PrometheusTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerListener listener = new MicrometerListener(registry);

    @Test
    void countersTimersAndGaugesHaveTheNamesOfTheirKind() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onAnswer("products", AnswerSource.NEAR);
        listener.onStored("products", 300);
        listener.onStep("products", Step.READ).end(null);

        assertThat(registry.scrape())
                .contains("\ncache_gets_total{cache=\"products\",result=\"hit\"} 1.0\n")
                .contains("\ncache_stampede_lookups_total{answer=\"near\",cache=\"products\"} 1.0\n")
                .contains("\ncache_stampede_loads_saved_total{cache=\"products\"} 1.0\n")
                .contains("\ncache_stampede_payload_bytes_sum{cache=\"products\"} 300.0\n")
                .contains("\ncache_size{cache=\"products\"} 1000.0\n")
                .contains("\ncache_stampede_store_calls_seconds_count{cache=\"products\",command=\"read\","
                        + "outcome=\"answered\"} 1\n");
    }

    @Test
    void timersHaveTheBucketsThatWereChosen() {
        listener.onOpen("products", FixedGauges.IDLE);
        listener.onLoad("products", LoadOutcome.STORED, Duration.ofMillis(40).toNanos());

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

    @Test
    void nothingIsLeftOfAClosedCache() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onAnswer("products", AnswerSource.NEAR);

        listener.onClose("products", FixedGauges.BUSY);

        assertThat(registry.scrape()).doesNotContain("products");
    }

    /** Micrometer's own names are shared with Micrometer's own caches. */
    @Test
    void cacheOfMicrometersOwnIsShownBesideOurs() {
        Cache<String, String> caffeine =
                Caffeine.newBuilder().maximumSize(10).recordStats().build();
        CaffeineCacheMetrics.monitor(registry, caffeine, "users");

        listener.onOpen("products", FixedGauges.IDLE);

        assertThat(registry.scrape())
                .contains("cache_gets_total{cache=\"users\",result=\"hit\"}")
                .contains("cache_gets_total{cache=\"products\",result=\"hit\"}")
                .contains("cache_puts_total{cache=\"products\"}")
                .contains("cache_evictions_total{cache=\"products\"}")
                .contains("cache_size{cache=\"products\"}");
    }
}
