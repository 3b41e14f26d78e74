package io.stampedeguard.demo.serve.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The protection against requests that another site's page sends. On loopback a request must name this machine, its address, or
 * the host that the server was bound to; otherwise an attacker's name server could resolve another name to this machine (DNS
 * rebinding). A request that changes something must come from the page itself, according to its {@code Origin}; on other
 * addresses than loopback a proxy may add TLS. <em>Thread-safe.</em>
 */
final class Doorkeeper implements HttpHandler {
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int FORBIDDEN = 403;
    private static final int MISDIRECTED = 421;

    private final HttpHandler inside;
    private final boolean loopback;
    private final Set<String> hosts = new HashSet<>(THIS_MACHINE);

    private Doorkeeper(HttpHandler inside, boolean loopback, List<String> boundTo) {
        this.inside = inside;
        this.loopback = loopback;
        boundTo.forEach(host -> hosts.add(host.toLowerCase(Locale.ROOT)));
    }

    /** {@code boundTo} are the names and addresses that the server was bound to. */
    static Doorkeeper onLoopback(HttpHandler inside, List<String> boundTo) {
        return new Doorkeeper(inside, true, boundTo);
    }

    static Doorkeeper elsewhere(HttpHandler inside) {
        return new Doorkeeper(inside, false, List.of());
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

    private boolean isThisMachine(@Nullable String host) {
        return host != null && hosts.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT));
    }

    private static boolean changesSomething(HttpExchange exchange) {
        return !Set.of("GET", "HEAD").contains(exchange.getRequestMethod());
    }

    private boolean comesFromThePage(HttpExchange exchange, @Nullable String host) {
        String origin = exchange.getRequestHeaders().getFirst("Origin");
        return ("http://" + host).equals(origin) || (!loopback && ("https://" + host).equals(origin));
    }
}
