package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.StoreException;
import java.net.SocketTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** What a user reads whose {@code rediss://} fails: never to connect without TLS if the server uses it. */
final class TlsAdviceTest {
    private static final String WITHOUT_TLS = "connect with redis://";

    private static String explained(Exception cause) {
        StoreException failure =
                RedisFailure.toStoreException("connect", "", new JedisConnectionException("Failed to connect", cause));
        return RedisFailure.explained(failure, RedisUri.parse("rediss://h:6379"), () -> "")
                .getMessage();
    }

    private static SSLHandshakeException handshake(String message, Exception cause) {
        SSLHandshakeException failure = new SSLHandshakeException(message);
        failure.initCause(cause);
        return failure;
    }

    @Test
    void serverThatMayNotUseTlsGetsTheAdvice() {
        assertThat(explained(new SSLException("Unsupported or unrecognized SSL message")))
                .contains(WITHOUT_TLS);
        assertThat(explained(new SSLHandshakeException("Remote host terminated the handshake")))
                .contains(WITHOUT_TLS);
        assertThat(explained(new SocketTimeoutException("Read timed out"))).contains(WITHOUT_TLS);
    }

    @Test
    void serverThatUsesTlsDoesNot() {
        CertificateException certificate = new CertificateException(
                "PKIX path building failed",
                new CertPathBuilderException("unable to find valid certification path to requested target"));
        assertThat(explained(handshake("PKIX path building failed", certificate)))
                .contains("does not trust its certificate", "sslContext")
                .doesNotContain(WITHOUT_TLS);
        for (String alert : new String[] {
            "Received fatal alert: certificate_required",
            "Received fatal alert: protocol_version",
            "No appropriate protocol (protocol is disabled or cipher suites are inappropriate)"
        }) {
            assertThat(explained(new SSLHandshakeException(alert)))
                    .contains(alert)
                    .doesNotContain(WITHOUT_TLS);
        }
        assertThat(explained(new SSLPeerUnverifiedException("Hostname not verified")))
                .doesNotContain(WITHOUT_TLS);
    }
}
