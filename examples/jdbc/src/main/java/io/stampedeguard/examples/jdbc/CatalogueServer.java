package io.stampedeguard.examples.jdbc;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.stampedeguard.loader.CacheException;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The catalogue over HTTP: {@code GET /products/42}, and {@code PUT /products/42/name}. */
final class CatalogueServer implements AutoCloseable {
    private static final Pattern PATH = Pattern.compile("/products/([0-9]{1,18})(/name)?");
    private static final int SECONDS_TO_END = 1;
    private static final int SECONDS_OF_A_SLOW_REQUEST = 30;
    private static final Logger LOG = System.getLogger(CatalogueServer.class.getName());

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
                case "PUT/name" -> send(exchange, rename(id, body(exchange)), null);
                default -> send(exchange, 405, null);
            }
        } catch (CacheException | SQLException e) { // of the database: it failed, or is too slow
            LOG.log(Logger.Level.WARNING, "no answer from the database", e);
            send(exchange, 503, "The database is not available, or too slow");
        }
    }

    private int rename(long id, String name) throws SQLException {
        if (name.length() > Product.LONGEST_NAME) {
            return 400;
        }
        return catalogue.rename(id, name) ? 204 : 404;
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

    /** Ends it, and waits for the requests that have begun, also for those whose connections it has closed. */
    @Override
    public void close() {
        server.stop(SECONDS_TO_END);
        threads.shutdown();
        try {
            if (!threads.awaitTermination(SECONDS_OF_A_SLOW_REQUEST, TimeUnit.SECONDS)) {
                LOG.log(Logger.Level.WARNING, "requests still run: changes of theirs may not be invalidated");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
