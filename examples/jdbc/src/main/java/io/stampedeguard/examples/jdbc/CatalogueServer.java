package io.stampedeguard.examples.jdbc;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.stampedeguard.loader.CacheException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The catalogue over HTTP: {@code GET /products/42}, and {@code PUT /products/42/name}. */
final class CatalogueServer implements AutoCloseable {
    private static final Pattern PATH = Pattern.compile("/products/([0-9]{1,18})(/name)?");
    private static final int SECONDS_TO_END = 1;

    private final JsonMapper json = new JsonMapper();
    private final ExecutorService threads = Executors.newFixedThreadPool(64);
    private final Catalogue catalogue;
    private final HttpServer server;

    /** Listens on a port, or on a free one for 0. */
    CatalogueServer(Catalogue catalogue, int port) throws IOException {
        this.catalogue = catalogue;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
            if (!path.matches()) {
                send(exchange, 404, null);
                return;
            }
            long id = Long.parseLong(path.group(1));
            switch (exchange.getRequestMethod() + (path.group(2) == null ? "" : path.group(2))) {
                case "GET" -> {
                    Product product = catalogue.find(id);
                    send(exchange, product == null ? 404 : 200, product);
                }
                case "PUT/name" -> send(exchange, catalogue.rename(id, body(exchange)) ? 204 : 404, null);
                default -> send(exchange, 405, null);
            }
        } catch (CacheException | SQLException e) { // of the database: it failed, or is too slow
            send(exchange, 503, e.getMessage());
        }
    }

    private static String body(HttpExchange exchange) throws IOException {
        return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    }

    private void send(HttpExchange exchange, int status, @Nullable Object body) throws IOException {
        if (body == null) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        byte[] bytes = json.writeValueAsBytes(body);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(SECONDS_TO_END);
        threads.shutdown();
    }
}
