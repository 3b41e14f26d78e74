package io.stampedeguard.demo.dashboard;

import io.stampedeguard.testbed.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real Prometheus on the loopback interface, with its data in a directory of the caller's, that scrapes each second.
 * {@link #close()} ends it.
 */
final class PrometheusProcess implements AutoCloseable {
    private static final int STARTS_WITHIN_SECONDS = 60;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path log;
    private final String address;
    private final Process process;

    private PrometheusProcess(Path binary, Path directory, Path configuration) throws IOException {
        log = directory.resolve("prometheus.log");
        address = "127.0.0.1:" + FreePort.find();
        process = new ProcessBuilder(
                        binary.toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=" + address)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** Searches the PATH for a program. */
    static Optional<Path> program(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static PrometheusProcess start(Path binary, Path directory, List<String> targets) throws Exception {
        Path configuration = directory.resolve("prometheus.yml");
        Files.writeString(configuration, """
                global:
                  scrape_interval: 1s
                  evaluation_interval: 1s
                rule_files:
                  - '%s'
                scrape_configs:
                  - job_name: fleet
                    static_configs:
                      - targets: [%s]
                """.formatted(
                        DashboardFiles.ALERTS,
                        targets.stream().map(target -> "'" + target + "'").collect(Collectors.joining(", "))));
        PrometheusProcess started = new PrometheusProcess(binary, directory, configuration);
        try {
            started.awaitReady();
        } catch (Exception e) {
            started.close();
            throw e;
        }
        return started;
    }

    private void awaitReady() throws Exception {
        long start = System.nanoTime();
        while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(STARTS_WITHIN_SECONDS)) {
            if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("prometheus has ended: " + Files.readString(log));
            }
            try {
                if (request("/-/ready").statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // Not yet listening.
            }
        }
        throw new IllegalStateException("prometheus does not get ready: " + Files.readString(log));
    }

    /** Returns the current result, which may be an error. */
    JsonNode query(String expression) throws Exception {
        return json("/api/v1/query", Map.of("query", expression));
    }

    /** Returns the result for each second, from and to seconds of the epoch. */
    JsonNode range(String expression, double from, double to) throws Exception {
        return json(
                "/api/v1/query_range",
                Map.of("query", expression, "start", Double.toString(from), "end", Double.toString(to), "step", "1"));
    }

    JsonNode rules() throws Exception {
        return json("/api/v1/rules", Map.of());
    }

    private JsonNode json(String path, Map<String, String> parameters) throws Exception {
        String query = parameters.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return JsonMapper.shared().readTree(request(path + "?" + query).body());
    }

    private HttpResponse<String> request(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + path))
                .timeout(Duration.ofSeconds(30))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
