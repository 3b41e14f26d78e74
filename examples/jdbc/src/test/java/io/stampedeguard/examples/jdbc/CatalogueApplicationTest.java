package io.stampedeguard.examples.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramJvm;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two instances of the application on real ports, with one database and a real Redis. Each test has products of its own. */
final class CatalogueApplicationTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration HANGS = Duration.ofMinutes(1);

    /** Longer than a busy machine stalls. */
    private static final Duration STALLS = Duration.ofSeconds(20);

    /** How many connections were taken: each query takes one. */
    private static final AtomicInteger CONNECTIONS = new AtomicInteger();

    private static RedisServer redis;
    private static CatalogueApplication first;
    private static CatalogueApplication second;

    private static CatalogueApplication start(RedisServer redis) throws Exception {
        return start(redis, new ReentrantLock());
    }

    /** Starts one whose queries and changes wait while the gate is locked. */
    private static CatalogueApplication start(RedisServer redis, ReentrantLock gate) throws Exception {
        HikariDataSource counting = new HikariDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                CONNECTIONS.incrementAndGet();
                gate.lock();
                gate.unlock();
                return super.getConnection();
            }
        };
        counting.setJdbcUrl("jdbc:h2:mem:catalogue;DB_CLOSE_DELAY=-1");
        return new CatalogueApplication(
                0, RedisStore.builder().commandTimeout(STALLS).connect(redis.uri()), counting);
    }

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.startProcess();
        first = start(redis);
        second = start(redis);
    }

    @AfterAll
    static void stop() {
        second.close();
        first.close();
        redis.close();
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        return CLIENT.send(request(port, path).build(), BodyHandlers.ofString());
    }

    private static HttpRequest renaming(CatalogueApplication application, long id, String name) {
        return request(application.port(), "/products/" + id + "/name")
                .PUT(BodyPublishers.ofString(name))
                .build();
    }

    private static int rename(CatalogueApplication application, long id, String name) throws Exception {
        return CLIENT.send(renaming(application, id, name), BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void concurrentRequestsToBothQueryOnce() {
        int before = CONNECTIONS.get();
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, 32)
                .map(i -> i % 2 == 0 ? first.port() : second.port())
                .mapToObj(port -> CLIENT.sendAsync(request(port, "/products/7").build(), BodyHandlers.ofString()))
                .toList();
        assertThat(answers)
                .allSatisfy(answer ->
                        assertThat(answer.join().body()).isEqualTo("{\"id\":7,\"name\":\"Product 7\",\"cents\":700}"));
        assertThat(CONNECTIONS.get() - before).isEqualTo(1);
    }

    @Test
    void changedProductIsReadAtOnceInTheOtherProcess() throws Exception {
        assertThat(get(second.port(), "/products/8").body()).contains("\"Product 8\"");
        assertThat(rename(first, 8, "New")).isEqualTo(204);
        assertThat(get(second.port(), "/products/8").body()).contains("\"New\"");
    }

    @Test
    void absentProductIsCachedForBoth() throws Exception {
        int before = CONNECTIONS.get();
        assertThat(get(first.port(), "/products/999").statusCode()).isEqualTo(404);
        assertThat(get(second.port(), "/products/999").statusCode()).isEqualTo(404);
        assertThat(CONNECTIONS.get() - before).isEqualTo(1);
    }

    @Test
    void otherRequestsAreRefused() throws Exception {
        assertThat(get(first.port(), "/products/x").statusCode()).isEqualTo(404);
        assertThat(get(first.port(), "/products/7/name").statusCode()).isEqualTo(405);
        assertThat(rename(first, 998, "New")).isEqualTo(404);
        assertThat(rename(first, 6, "x".repeat(100))).isEqualTo(204);
        assertThat(rename(first, 6, "x".repeat(101))).isEqualTo(400);
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // some JDKs close the connection of the change, others answer
    void changeDuringCloseIsInvalidated() throws Exception {
        ReentrantLock gate = new ReentrantLock();
        CatalogueApplication ending = start(redis, gate);
        assertThat(get(second.port(), "/products/11").body()).contains("\"Product 11\"");
        Thread closing = new Thread(ending::close);
        gate.lock();
        try {
            CLIENT.sendAsync(renaming(ending, 11, "New"), BodyHandlers.discarding());
            await().atMost(HANGS).until(gate::hasQueuedThreads);
            closing.start();
            await("close waits for the change").atMost(HANGS).until(() -> isServerWaiting(closing));
        } finally {
            gate.unlock();
        }
        closing.join();
        assertThat(get(second.port(), "/products/11").body()).contains("\"New\"");
    }

    /** Returns whether a thread closes the server, and waits for requests. */
    private static boolean isServerWaiting(Thread thread) {
        List<String> methods = Stream.of(thread.getStackTrace())
                .map(StackTraceElement::getMethodName)
                .toList();
        List<String> classes = Stream.of(thread.getStackTrace())
                .map(StackTraceElement::getClassName)
                .toList();
        return methods.contains("awaitTermination") && classes.contains(CatalogueServer.class.getName());
    }

    @Test
    void withoutRedisProductsAreReadAndChanged() throws Exception {
        RedisServer mortal = RedisServer.startProcess();
        try (mortal;
                CatalogueApplication application = start(mortal)) {
            get(application.port(), "/products/9");
            mortal.close();
            assertThat(get(application.port(), "/products/10").body()).contains("\"Product 10\"");
            assertThat(rename(application, 9, "New")).isEqualTo(204);
            assertThat(get(application.port(), "/products/9").body()).contains("\"New\"");
        }
    }

    /** In a JVM of its own; it ends when it is told to. */
    @Test
    void programAnswersAndEnds(@TempDir Path directory) throws Exception {
        try (ProgramJvm program = ProgramJvm.start(
                CatalogueApplication.class, directory, "0", redis.uri(), "jdbc:h2:" + directory.resolve("catalogue"))) {
            List<String> lines = program.firstLines(1);
            assertThat(lines).as(program.errors()).hasSize(1);
            URI product = URI.create(lines.get(0));
            assertThat(get(product.getPort(), product.getPath()).body()).contains("\"Product 42\"");
            program.handle().destroy();
            assertThat(program.exitCode()).isEqualTo(128 + 15);
        }
    }
}
