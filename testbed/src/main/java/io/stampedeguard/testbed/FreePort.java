package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports of the loopback interface, below those that Linux and macOS give to outgoing connections. No port is found twice
 * for a long time: while a server is down, no other one takes the port on which it will restart.
 */
public final class FreePort {
    private static final int LOWEST = 16_384;
    private static final int PORTS = 16_384;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

    private FreePort() {}

    /**
     * {@return a port that is free now}
     *
     * @throws IllegalStateException if all are taken
     */
    public static int find() {
        for (int tried = 0; tried < PORTS; tried++) {
            int port = LOWEST + NEXT.getAndIncrement() % PORTS;
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("all ports from " + LOWEST + " on are taken");
    }

    /** Asks as a client: a socket that is bound to try might still be held, after its end, by a process that is being started. */
    private static boolean isFree(int port) {
        try (Socket somebody = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return !somebody.isConnected();
        } catch (ConnectException refused) {
            return true;
        } catch (SocketException resetAtOnce) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }
}
