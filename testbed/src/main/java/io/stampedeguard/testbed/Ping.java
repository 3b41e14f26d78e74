package io.stampedeguard.testbed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A check whether a server answers, without a Redis client. */
final class Ping {
    private static final int TIMEOUT_MILLIS = 2_000;

    private Ping() {}

    /** Returns normally if the server answers as Redis does; a demand for a password is an answer, too. */
    static void send(String host, int port) throws IOException {
        try (Socket socket = open(host, port)) {
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            if (answer == null || !(answer.equals("+PONG") || answer.startsWith("-NOAUTH"))) {
                throw new IOException("PING was answered by " + answer);
            }
        }
    }

    static void connect(String host, int port) throws IOException {
        open(host, port).close();
    }

    private static Socket open(String host, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
