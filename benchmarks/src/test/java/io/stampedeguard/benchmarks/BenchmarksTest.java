package io.stampedeguard.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Each benchmark runs. Its figures from a fraction of a second mean nothing and are not checked. */
final class BenchmarksTest {
    @Test
    void eachBenchmarkRuns() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(50))
                        .param("keys", "1000")
                        .shouldFailOnError(true)
                        .build())
                .run();

        assertThat(results)
                .extracting(result -> result.getParams().getBenchmark())
                .containsOnly(
                        "io.stampedeguard.benchmarks.CompressionBenchmark.compress",
                        "io.stampedeguard.benchmarks.CompressionBenchmark.decompress",
                        "io.stampedeguard.benchmarks.GetAllBenchmark.entries",
                        "io.stampedeguard.benchmarks.GetAllBenchmark.guarded",
                        "io.stampedeguard.benchmarks.GetAllBenchmark.jedis",
                        "io.stampedeguard.benchmarks.KeyFilterBenchmark.bits",
                        "io.stampedeguard.benchmarks.KeyFilterBenchmark.guava",
                        "io.stampedeguard.benchmarks.KeyFilterBenchmark.local",
                        "io.stampedeguard.benchmarks.NearHitBenchmark.caffeine",
                        "io.stampedeguard.benchmarks.NearHitBenchmark.guardedNear",
                        "io.stampedeguard.benchmarks.NearHitListenerBenchmark.near",
                        "io.stampedeguard.benchmarks.PeerNearHitBenchmark.hit",
                        "io.stampedeguard.benchmarks.WakeUpBenchmark.release");
        assertThat(results)
                .allSatisfy(result ->
                        assertThat(result.getPrimaryResult().getScore()).isPositive());
    }
}
