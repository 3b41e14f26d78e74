package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.PageCode;
import io.stampedeguard.redis.SharedRedis;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/metrics.md} compiles, and counts the events of a real server. */
final class MetricsCodeTest {
    @TempDir
    private Path directory;

    @Test
    void codeOfThePageRuns() throws Exception {
        String code = PageCode.of(Path.of("..", "docs", "metrics.md"));

        assertThat(PageCode.run(directory, "MetricsPage", program(code)))
                .asString()
                .startsWith("lamp\n")
                .contains("\ncache_stampede_gets_total{cache=\"products\",result=\"miss\"} 1.0\n")
                .contains("\ncache_stampede_lookups_total{answer=\"loaded\",cache=\"products\"} 1.0\n")
                .contains("\ncache_stampede_loads_seconds_count{cache=\"products\",outcome=\"stored\"} 1\n")
                .contains("\ncache_stampede_puts_total{cache=\"products\"} 1.0\n")
                .contains("\ncache_stampede_payload_bytes_sum{cache=\"products\"} 4.0\n")
                .contains("\ncache_stampede_loads_permits{cache=\"products\"} 32.0\n")
                .contains("{cache=\"products\",command=\"publish\",outcome=\"answered\"} 1\n");
    }

    /** What the page omits: imports, and the store. */
    private static String program(String code) {
        return """
                import io.micrometer.context.ContextSnapshotFactory;
                import io.micrometer.observation.ObservationRegistry;
                import io.micrometer.prometheusmetrics.PrometheusConfig;
                import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
                import io.stampedeguard.StampedeGuardedCache;
                import io.stampedeguard.codec.StringCodec;
                import io.stampedeguard.metrics.MicrometerListener;
                import io.stampedeguard.redis.RedisStore;

                public class MetricsPage {
                    public static Object run() {
                        RedisStore redis = RedisStore.connect("%s", %s);
                        %s
                        products.close();
                        redis.close();
                        return name + "\\n" + page;
                    }
                }
                """.formatted(
                        SharedRedis.uri(),
                        "io.stampedeguard.redis.SharedRedis.PATIENT.toBuilder().keyPrefix(\"metrics-page:\").build()",
                        code);
    }
}
