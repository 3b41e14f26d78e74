package io.stampedeguard.demo.serve.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The server's answers, whose headers prevent requests to other hosts and framing by other pages. */
final class Answer {
    private static final int NO_BODY = -1;
    private static final int UNKNOWN_LENGTH = 0;
    private static final int OK = 200;

    private Answer() {}

    static void text(HttpExchange exchange, int status, String text) throws IOException {
        bytes(exchange, status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static void bytes(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        headers(exchange, type);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head || body.length == 0 ? NO_BODY : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    static OutputStream stream(HttpExchange exchange, String type) throws IOException {
        headers(exchange, type);
        exchange.sendResponseHeaders(OK, UNKNOWN_LENGTH);
        return exchange.getResponseBody();
    }

    private static void headers(HttpExchange exchange, String type) {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "same-origin");
        headers.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    }
}
