package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.RedisClient;

/** The server itself uses TLS here. */
class TlsTest {
    private static final LeaseToken TOKEN = LeaseToken.next();

    private static Certificate certificate;
    private static Certificate ofAnotherHost;

    /** Two for all tests, because creating one starts a JVM. */
    @BeforeAll
    static void makeCertificates(@TempDir Path one, @TempDir Path another) throws Exception {
        certificate = Certificate.naming("ip:127.0.0.1", one);
        ofAnotherHost = Certificate.naming("dns:redis.example.com", another);
    }

    @Test
    void aServerWithTlsAndAnAclUserIsUsed() {
        try (RedisProcess server = startWith(certificate);
                RedisStore store = RedisStore.connect(uri(server), trusting(certificate))) {
            on(store).put("tls:1", TOKEN.toBytes(), Duration.ofMinutes(1));
            assertThat(on(store).read("tls:1")).isEqualTo(TOKEN.toBytes());
            Waiter waiter = new Waiter();
            notifications(store).watch("tls:1", waiter);
            waiter.awaitListenings(1);
            on(store).invalidate("tls:1");
            waiter.awaitNotices(1);
        }
    }

    @Test
    void aTrustedCertificateOfAnotherHostIsNotAccepted() {
        try (RedisProcess server = startWith(ofAnotherHost)) {
            assertUnusable(uri(server), trusting(ofAnotherHost), "No subject alternative names");
        }
    }

    @Test
    void aTrustedCertificateOfAnotherHostIsAcceptedWhereThatWasAskedFor() {
        RedisStoreOptions options =
                trusting(ofAnotherHost).toBuilder().verifyHostname(false).build();
        try (RedisProcess server = startWith(ofAnotherHost);
                RedisStore store = RedisStore.connect(uri(server), options)) {
            assertThat(on(store).read("tls:2")).isNull();
        }
    }

    @Test
    void theJvmsTrustStoreDoesNotKnowTheCertificate() {
        try (RedisProcess server = startWith(certificate)) {
            assertUnusable(uri(server), SharedRedis.PATIENT, "unable to find valid certification path");
        }
    }

    @Test
    void aTlsContextWithoutTlsIsRefused() {
        RedisStoreOptions options = trusting(certificate);
        assertThatThrownBy(() -> RedisStore.connect("redis://user:geheim@127.0.0.1:1", options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the options have a TLS context, but the URI is not rediss://");
    }

    /** It treats the handshake as the beginning of a command and waits for the rest. */
    @Test
    void aServerWithoutTlsCostsOneTimeout() {
        RedisStoreOptions options = RedisStoreOptions.builder()
                .commandTimeout(Duration.ofMillis(500))
                .circuitBreaker(false) // its PINGs would need connections as well
                .build();
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient observer = PlainRedis.client(server.uri())) {
            long before = connectionsMadeTo(observer);
            assertUnusable("rediss://user:geheim@127.0.0.1:" + server.port(), options, "Read timed out");
            assertThat(connectionsMadeTo(observer) - before)
                    .as("each that is made costs a timeout: one to connect, one to read")
                    .isEqualTo(2);
        }
    }

    private static long connectionsMadeTo(RedisClient server) {
        return server.info("stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    /** Not to connect without TLS: the password would be sent in plain text. */
    @Test
    void certificateThatIsNotTrustedIsNoReasonToConnectWithoutTls() {
        RedisStoreOptions failing = RedisStoreOptions.builder().failFast(true).build();
        try (RedisProcess server = startWith(certificate);
                RedisProcess other = startWith(ofAnotherHost)) {
            assertThatThrownBy(() -> RedisStore.connect(uri(server), failing))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("does not trust its certificate")
                    .hasMessageNotContaining("redis://");
            RedisStoreOptions trustingOther =
                    trusting(ofAnotherHost).toBuilder().failFast(true).build();
            assertThatThrownBy(() -> RedisStore.connect(uri(other), trustingOther))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("No subject alternative names")
                    .hasMessageNotContaining("redis://");
        }
    }

    private static void assertUnusable(String uri, RedisStoreOptions options, String why) {
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(uri, options)) {
                assertThatThrownBy(() -> on(store).read("tls:3"))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining(why);
            }
        });
        assertThat(log.lines()).singleElement().asString().contains(why).doesNotContain("geheim");
    }

    private static RedisProcess startWith(Certificate certificate) {
        return RedisServer.startProcess(
                "--tls-port",
                RedisProcess.FREE_PORT,
                "--tls-cert-file",
                certificate.certificateFile().toString(),
                "--tls-key-file",
                certificate.keyFile().toString(),
                "--tls-auth-clients",
                "no",
                "--user",
                "shop",
                "on",
                ">geheim",
                "~*",
                "&*",
                "+@all");
    }

    private static String uri(RedisProcess server) {
        return "rediss://shop:geheim@127.0.0.1:" + server.portOf("--tls-port");
    }

    private static RedisStoreOptions trusting(Certificate certificate) {
        return SharedRedis.PATIENT.toBuilder()
                .sslContext(certificate.trusting())
                .build();
    }
}
