package io.stampedeguard.redis.internal.connect;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A factory of TLS sockets with a completed handshake. With a handshake at the first command, a timeout would be paid twice:
 * Jedis retries it when it flushes the broken connection on closing. <em>Thread-safe.</em>
 */
final class TlsSockets extends SSLSocketFactory {
    private final SSLSocketFactory sockets;
    private final SSLParameters parameters;

    TlsSockets(@Nullable SSLContext context, SSLParameters parameters) {
        this.sockets = context == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : context.getSocketFactory();
        this.parameters = parameters;
    }

    @Override
    public Socket createSocket(Socket connected, String host, int port, boolean autoClose) throws IOException {
        SSLSocket socket = (SSLSocket) sockets.createSocket(connected, host, port, autoClose);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw unsupported();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw unsupported();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw unsupported();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw unsupported();
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("a socket is connected first, under the connect timeout");
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return sockets.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return sockets.getSupportedCipherSuites();
    }
}
