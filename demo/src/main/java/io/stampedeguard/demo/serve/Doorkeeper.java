package io.stampedeguard.demo.serve;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets nobody in whom a foreign page sends:
 *
 * <ol>
 *   <li>On loopback the request must be for this machine by name or number, or else somebody's name server says that their
 *       host is this one (DNS rebinding).
 *   <li>What changes something must come from the page itself, as its {@code Origin} tells.
 * </ol>
 *
 * <em>Thread-safe.</em>
 */
final class Doorkeeper implements HttpHandler {
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int FORBIDDEN = 403;
    private static final int MISDIRECTED = 421;

    private final HttpHandler inside;
    private final boolean loopback;

    Doorkeeper(HttpHandler inside, boolean loopback) {
        this.inside = inside;
        this.loopback = loopback;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String host = exchange.getRequestHeaders().getFirst("Host");
            if (loopback && !isThisMachine(host)) {
                Answer.text(exchange, MISDIRECTED, "this server is for localhost only");
            } else if (changesSomething(exchange) && !comesFromThePage(exchange, host)) {
                Answer.text(exchange, FORBIDDEN, "only the page itself may do this");
            } else {
                inside.handle(exchange);
            }
        }
    }

    private static boolean isThisMachine(@Nullable String host) {
        return host != null && THIS_MACHINE.contains(host.replaceFirst(":\\d+$", ""));
    }

    private static boolean changesSomething(HttpExchange exchange) {
        return !Set.of("GET", "HEAD").contains(exchange.getRequestMethod());
    }

    private static boolean comesFromThePage(HttpExchange exchange, @Nullable String host) {
        return ("http://" + host).equals(exchange.getRequestHeaders().getFirst("Origin"));
    }
}
