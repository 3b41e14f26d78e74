package io.stampedeguard.testbed;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;

/** A server that was started elsewhere: it is used as it is, and never flushed or stopped. */
final class GivenServer implements RedisServer {
    private static final int DEFAULT_PORT = 6379;

    private final String uri;
    private final String host;
    private final int port;

    private GivenServer(String uri, String host, int port) {
        this.uri = uri;
        this.host = host;
        this.port = port;
    }

    static GivenServer at(String text) {
        URI uri = parse(text);
        if (uri.getHost() == null) {
            throw new IllegalArgumentException(ServerChoice.option() + " has no host: expected redis://host:port");
        }
        GivenServer server = new GivenServer(text, uri.getHost(), uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort());
        server.checkThatItAnswers(uri.getScheme().equals("redis"));
        return server;
    }

    private static URI parse(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            // No cause: its message contains the text, and therefore the password.
            throw new IllegalArgumentException(ServerChoice.option() + " is no URI: expected redis://host:port");
        }
    }

    private void checkThatItAnswers(boolean plain) {
        try {
            if (plain) {
                Ping.send(host, port);
            } else {
                Ping.connect(host, port);
            }
        } catch (IOException e) {
            throw new IllegalStateException(
                    "no Redis answers at " + host + ":" + port + " (" + ServerChoice.option() + ")", e);
        }
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public String host() {
        return host;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String description() {
        return "given by " + ServerChoice.option() + ", at " + host + ":" + port;
    }

    @Override
    public void close() {
        // The server was not started here.
    }
}
