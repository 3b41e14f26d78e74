package io.stampedeguard.demo.serve.web;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.stampedeguard.testbed.Daemon;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** The web server of the page. It binds its port immediately, and answers once the page has content. */
public final class Web implements AutoCloseable {
    private static final int TOKEN_BYTES = 18;

    /** Each connection that has sent the first byte of a request has a thread, and keeps it until the request is whole. */
    private static final Map<String, Integer> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", 10, // seconds; answers, which may last forever, have no limit
            "jdk.httpserver.maxConnections", 200);

    static {
        LIMITS.forEach((name, limit) -> System.getProperties().putIfAbsent(name, limit.toString()));
    }

    private final String bound;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> Daemon.thread("live-web", task));
    private final @Nullable String token;

    private Web(String bound, HttpServer server) {
        this.bound = bound;
        this.server = server;
        this.token = isLoopback() ? null : newToken();
    }

    /** Binds the port, or throws an exception with a one-line message. */
    public static Web bind(String host, int port) {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw notOurs(host);
        }
        try {
            return new Web(host, HttpServer.create(address, 0));
        } catch (IOException e) {
            if (isElsewhere(address.getAddress())) {
                throw notOurs(host);
            }
            throw new IllegalStateException(
                    "cannot listen on " + host + ", port " + port + " (" + e.getMessage()
                            + "): choose another one with --port",
                    e);
        }
    }

    private static IllegalStateException notOurs(String host) {
        return new IllegalStateException("--bind " + host + " is not an address of this machine");
    }

    /** Loopback is a whole network, but the interface lists only one of its addresses. */
    private static boolean isElsewhere(InetAddress address) {
        try {
            return !address.isAnyLocalAddress()
                    && !address.isLoopbackAddress()
                    && NetworkInterface.getByInetAddress(address) == null;
        } catch (SocketException unknown) {
            return false;
        }
    }

    public void serve(HttpHandler routes) {
        server.createContext(
                "/",
                isLoopback() ? Doorkeeper.onLoopback(routes, List.of(bound, host())) : Doorkeeper.elsewhere(routes));
        server.setExecutor(threads);
        server.start();
    }

    /** Returns the token that buttons require; empty if only this machine can reach the page. */
    @Nullable
    public String token() {
        return token;
    }

    /** After a {@code #} the token stays in the browser, and does not appear in server logs. */
    public String url() {
        String page = "http://" + host() + ":" + server.getAddress().getPort() + "/";
        return token == null ? page : page + "#token=" + token;
    }

    private String host() {
        InetAddress address = server.getAddress().getAddress();
        if (address.isAnyLocalAddress()) {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException noName) {
                return "localhost";
            }
        }
        return inUrl(address);
    }

    /** A browser shortens the loopback address of IPv6, so it is shown and expected short. */
    static String inUrl(InetAddress address) {
        if (address instanceof Inet6Address) {
            return address.isLoopbackAddress() ? "[::1]" : "[" + address.getHostAddress() + "]";
        }
        return address.getHostAddress();
    }

    private boolean isLoopback() {
        return server.getAddress().getAddress().isLoopbackAddress();
    }

    private static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
