package io.stampedeguard.examples.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stampedeguard.testbed.FreePort;
import io.stampedeguard.testbed.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two processes of the application on real ports, with one real Redis and one real database. */
final class CatalogueApplicationTest {
    private static final Duration HANGS = Duration.ofMinutes(1);

    private static RedisServer redis;
    private static Application first;
    private static Application second;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.startProcess();
        first = Application.start(redis.uri());
        second = Application.start(redis.uri());
        first.get("/products/6"); // the first request is slow
        second.get("/products/6");
    }

    @AfterAll
    static void stop() {
        second.close();
        first.close();
        redis.close();
    }

    /** Sends 50 requests, which all wait for the first query before it is answered. */
    private static void oneQueryServes50(long id, Application... processes) {
        int before = GatedDatabase.statements();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        GatedDatabase.close();
        try {
            for (Application process : processes) {
                answers.addAll(process.requests(50 / processes.length, id));
            }
            await().atMost(HANGS)
                    .until(() -> Arrays.stream(processes)
                                    .mapToLong(process -> process.waits(id))
                                    .sum()
                            >= 50 - 1);
        } finally {
            GatedDatabase.open();
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).contains("\"name\":\"Product " + id + "\""));
        assertThat(GatedDatabase.statements() - before).isEqualTo(1);
    }

    @Test
    void fiftyRequestsAtOnceRunOneQuery() {
        oneQueryServes50(1, first);
    }

    @Test
    void twoProcessesShareOneQuery() {
        oneQueryServes50(2, first, second);
    }

    @Test
    void changedProductIsReadInBothProcesses() throws Exception {
        assertThat(second.get("/products/3").body()).contains("\"name\":\"Product 3\"");
        assertThat(first.put("/products/3/name", "New").statusCode()).isEqualTo(200);
        assertThat(first.get("/products/3").body()).contains("\"name\":\"New\"");
        assertThat(second.get("/products/3").body()).contains("\"name\":\"New\"");
    }

    @Test
    void changeOfAllProductsIsReadInBothProcesses() throws Exception {
        long cents = first.bean(Catalogue.class).find(4).orElseThrow().cents();
        first.post("/products/prices/raise?percent=100", "");
        assertThat(first.get("/products/4").body()).contains("\"cents\":" + 2 * cents);
        assertThat(second.get("/products/4").body()).contains("\"cents\":" + 2 * cents);
    }

    @Test
    void absentProductIsCachedUntilItIsAdded() throws Exception {
        int before = GatedDatabase.statements();
        assertThat(first.get("/products/999").statusCode()).isEqualTo(404);
        assertThat(second.get("/products/999").statusCode()).isEqualTo(404);
        assertThat(GatedDatabase.statements() - before).isEqualTo(1);
        first.post("/products", "{\"id\":999,\"name\":\"Lamp\",\"cents\":1}");
        assertThat(second.get("/products/999").body()).contains("\"name\":\"Lamp\"");
        assertThat(GatedDatabase.statements() - before)
                .as("and one INSERT, and one SELECT")
                .isEqualTo(3);
    }

    @Test
    void withoutRedisItAnswers() throws Exception {
        try (Application alone = Application.start("redis://localhost:" + FreePort.find())) {
            assertThat(alone.get("/products/5").body()).contains("\"name\":\"Product 5\"");
            assertThat(alone.get("/products/998").statusCode()).isEqualTo(404);
        }
    }
}
