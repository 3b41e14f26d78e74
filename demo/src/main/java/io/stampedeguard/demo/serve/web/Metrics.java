package io.stampedeguard.demo.serve.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.stage.LiveFleet;
import io.stampedeguard.demo.serve.stage.LiveStage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of {@code /metrics}: the meters of the guarded caches, each process with its name (label {@code
 * process}), and the figures of the callers of both fleets. <em>Thread-safe.</em>
 */
public final class Metrics implements HttpHandler {
    private final LiveStage stage;
    private final PrometheusMeterRegistry seen = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    public Metrics(LiveStage stage) {
        this.stage = stage;
        for (Side side : Side.values()) {
            LiveFleet fleet = stage.fleet(side);
            count("demo.calls", Count.CALLS, side, "Calls of callers that have ended.");
            count("demo.failures", Count.FAILURES, side, "Calls that ended with an exception.");
            count("demo.queries", Count.QUERIES, side, "Queries to the database.");
            Gauge.builder("demo.processes", fleet, LiveFleet::processes)
                    .description("Processes of the fleet.")
                    .tag("fleet", side.toString())
                    .register(seen);
        }
    }

    private void count(String name, Count count, Side side, String description) {
        FunctionCounter.builder(name, stage.fleet(side), fleet -> fleet.total().get(count))
                .description(description)
                .tag("fleet", side.toString())
                .register(seen);
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        List<String> texts = new ArrayList<>(List.of(seen.scrape()));
        try {
            texts.addAll(stage.fleet(Side.GUARDED).scrape());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
        byte[] merged = Exposition.merged(texts).getBytes(StandardCharsets.UTF_8);
        Answer.bytes(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", merged);
    }
}
