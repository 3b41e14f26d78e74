package io.stampedeguard.demo.serve.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.page.Action;
import io.stampedeguard.demo.serve.page.Feed;
import io.stampedeguard.demo.serve.page.Subscriber;
import io.stampedeguard.testbed.program.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The handlers of all requests: the page's files, its events, its buttons, and the metrics. <em>Thread-safe.</em> */
public final class Routes implements HttpHandler {
    static final String TOKEN_HEADER = "X-Stampede-Token";
    public static final int MOST_BROWSERS = 16;

    private static final String ACT = "/act/";
    private static final String EVENTS = "text/event-stream; charset=utf-8";
    private static final int NO_CONTENT = 204;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int WRONG_METHOD = 405;
    private static final int FAILED = 500;

    private final Feed feed;
    private final Consumer<Action> buttons;
    private final HttpHandler metrics;
    private final @Nullable String token;

    /** A browser that does not read soon loses its subscription, but still occupies a thread. */
    private final Semaphore browsers = new Semaphore(MOST_BROWSERS);

    /** {@code buttons} runs the action of a button; {@code token}, if present, is required for pressing buttons. */
    public Routes(Feed feed, Consumer<Action> buttons, HttpHandler metrics, @Nullable String token) {
        this.feed = feed;
        this.buttons = buttons;
        this.metrics = metrics;
        this.token = token;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try {
            String path = exchange.getRequestURI().getPath();
            if (path.startsWith(ACT)) {
                ifMethodIs("POST", exchange, () -> act(exchange, path.substring(ACT.length())));
            } else {
                ifMethodIs("GET", exchange, () -> read(exchange, path));
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            System.err.println(
                    "the page failed to handle " + exchange.getRequestURI().getPath() + ": " + e.getMessage());
            Answer.text(exchange, FAILED, "This failed; see the terminal in which the page was started.");
        }
    }

    private interface Handling {
        void run() throws IOException, InterruptedException;
    }

    private static void ifMethodIs(String method, HttpExchange exchange, Handling handling)
            throws IOException, InterruptedException {
        String asked = exchange.getRequestMethod();
        if (asked.equals(method) || (asked.equals("HEAD") && method.equals("GET"))) {
            handling.run();
        } else {
            exchange.getResponseHeaders().set("Allow", method);
            Answer.text(exchange, WRONG_METHOD, "only " + method + " is allowed");
        }
    }

    private void read(HttpExchange exchange, String path) throws IOException, InterruptedException {
        switch (path) {
            case "/events" -> sendEvents(exchange);
            case "/metrics" -> metrics.handle(exchange);
            default -> sendFile(exchange, path);
        }
    }

    private static void sendFile(HttpExchange exchange, String path) throws IOException {
        Optional<PageFile> file = PageFile.at(path);
        if (file.isPresent()) {
            Answer.bytes(exchange, 200, file.get().type(), file.get().content());
        } else {
            Answer.text(exchange, NOT_FOUND, "there is nothing here");
        }
    }

    private void act(HttpExchange exchange, String name) throws IOException {
        Optional<Action> action = Action.named(name);
        if (action.isEmpty()) {
            Answer.text(exchange, NOT_FOUND, "there is no such button");
        } else if (!knowsToken(exchange)) {
            Answer.text(exchange, FORBIDDEN, "the buttons need the token that was printed at the start");
        } else {
            buttons.accept(action.get());
            Answer.bytes(exchange, NO_CONTENT, "text/plain", new byte[0]);
        }
    }

    private boolean knowsToken(HttpExchange exchange) {
        String given = exchange.getRequestHeaders().getFirst(TOKEN_HEADER);
        return token == null
                || (given != null
                        && MessageDigest.isEqual(
                                token.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8)));
    }

    private void sendEvents(HttpExchange exchange) throws IOException, InterruptedException {
        if (!browsers.tryAcquire()) {
            refuse(exchange);
            return;
        }
        try {
            sendEventsToTheEnd(exchange);
        } finally {
            browsers.release();
        }
    }

    /** Sent as an event, since a browser does not show the page the content of other answers. */
    private static void refuse(HttpExchange exchange) throws IOException {
        try (OutputStream out = Answer.stream(exchange, EVENTS)) {
            out.write("event: full\ndata: {}\n\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private void sendEventsToTheEnd(HttpExchange exchange) throws IOException, InterruptedException {
        Subscriber subscriber = new Subscriber();
        feed.add(subscriber, greeting());
        try (OutputStream out = Answer.stream(exchange, EVENTS)) {
            for (String event = subscriber.take(); !event.isEmpty(); event = subscriber.take()) {
                out.write(event.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } finally {
            feed.remove(subscriber);
        }
    }

    private String greeting() {
        JsonObject greeting = new JsonObject();
        PageFile.repository().ifPresent(url -> greeting.text("repository", url));
        return greeting.flag("tokenNeeded", token != null)
                .number("processes", Load.PROCESSES)
                .number("callers", (long) Load.PROCESSES * Load.CALLERS)
                .number("keys", Load.keys().size())
                .number("shortestTtlMinutes", Load.shortestTtl().toMinutes())
                .number("ttlMinutes", Load.TTL.toMinutes())
                .number("queryMillis", Load.WORK_MILLIS)
                .toString();
    }
}
