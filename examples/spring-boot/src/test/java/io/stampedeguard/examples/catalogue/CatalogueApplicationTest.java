package io.stampedeguard.examples.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application on a real port, with a real Redis. */
final class CatalogueApplicationTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static RedisServer redis;
    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        redis = RedisServer.startProcess();
        application = SpringApplication.run(
                CatalogueApplication.class,
                "--server.port=0",
                "--stampede.redis.url=" + redis.uri(),
                "--stampede.redis.command-timeout=20s");
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    private static HttpRequest.Builder request(String path) {
        String port = application.getEnvironment().getProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    private static double loads() throws IOException, InterruptedException {
        String meter =
                get("/actuator/metrics/cache.stampede.loads?tag=cache:products").body();
        return Double.parseDouble(meter.replaceAll("(?s).*\"COUNT\",\"value\":([0-9.E]+).*", "$1"));
    }

    @Test
    void concurrentRequestsLoadOnce() throws Exception {
        get("/products/6"); // the meters exist once the cache does
        double before = loads();
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, 32)
                .mapToObj(request -> CLIENT.sendAsync(request("/products/7").build(), BodyHandlers.ofString()))
                .toList();
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.join().body()).contains("\"name\":\"Product 7\""));
        assertThat(loads() - before).isEqualTo(1);
    }

    @Test
    void changedProductIsReadAtOnce() throws Exception {
        assertThat(get("/products/8").body()).contains("\"name\":\"Product 8\"");
        CLIENT.send(
                request("/products/8/name").PUT(BodyPublishers.ofString("New")).build(), BodyHandlers.discarding());
        assertThat(get("/products/8").body()).contains("\"name\":\"New\"");
    }

    @Test
    void absentProductIsCachedToo() throws Exception {
        assertThat(get("/products/999").statusCode()).isEqualTo(404);
        double before = loads();
        assertThat(get("/products/999").statusCode()).isEqualTo(404);
        assertThat(loads()).isEqualTo(before);
    }

    @Test
    void listsAreCached() throws Exception {
        assertThat(get("/suppliers/3/products").body()).contains("Product 3", "Product 93");
        assertThat(get("/suppliers/3/products").body()).contains("Product 3", "Product 93");
    }

    @Test
    void healthAndEndpointShowTheCaches() throws Exception {
        get("/products/9");
        assertThat(get("/actuator/health").body()).contains("\"stampede\":{\"status\":\"UP\"}");
        assertThat(get("/actuator/stampede/products?key=9").body()).contains("fresh");
    }

    @Test
    void refusedRemovalSaysWhy() throws Exception {
        HttpResponse<String> refused =
                CLIENT.send(request("/actuator/stampede/nope").DELETE().build(), BodyHandlers.ofString());

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("No property or annotation names a cache 'nope'");
    }
}
