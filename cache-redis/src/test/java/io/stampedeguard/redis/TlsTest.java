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
import javax.net.ssl.SSLParameters;
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
    void aTrustedCertificateOfAnotherHostIsAcceptedWithoutHostnameVerification() {
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
                .hasMessage("the options have sslContext, but the URI is not rediss://");
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

    @Test
    void clientCertificateIsPresentedWhereItIsRequired() {
        RedisStoreBuilder presenting = SharedRedis.PATIENT.toBuilder().sslContext(certificate.presenting());
        RedisStoreBuilder presentingNone = trusting(certificate).toBuilder().failFast(true);
        try (RedisProcess server = startWith(certificate, "--tls-auth-clients", "yes");
                RedisStore store = presenting.connect(uri(server))) {
            assertUsable(store);
            assertThatThrownBy(() -> presentingNone.connect(uri(server)))
                    .as("by an alert, or because the server has closed the connection")
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not connect to Redis at 127.0.0.1:");
        }
    }

    @Test
    void sslParametersApplyAndTheCertificateMustStillNameTheHost() {
        SSLParameters older = new SSLParameters();
        older.setProtocols(new String[] {"TLSv1.2"});
        RedisStoreOptions options =
                trusting(certificate).toBuilder().sslParameters(older).build();
        try (RedisProcess older12 = startWith(certificate, "--tls-protocols", "TLSv1.2");
                RedisProcess newer = startWith(certificate, "--tls-protocols", "TLSv1.3");
                RedisProcess other = startWith(ofAnotherHost);
                RedisStore store = RedisStore.connect(uri(older12), options)) {
            assertUsable(store);
            assertUnusable(uri(newer), options, "protocol_version");
            assertUnusable(
                    uri(other),
                    trusting(ofAnotherHost).toBuilder().sslParameters(older).build(),
                    "No subject alternative names");
        }
        assertThat(older.getEndpointIdentificationAlgorithm())
                .as("the application's are not changed")
                .isNull();
    }

    @Test
    void clusterWithTlsAndClientCertificatesIsUsed() {
        try (RedisProcess member = TlsServers.startCluster(certificate)) {
            try (RedisStore store = SharedRedis.PATIENT.toBuilder()
                    .sslContext(certificate.presenting())
                    .connect(TlsServers.uri("rediss-cluster", member))) {
                assertUsable(store);
            }
        }
    }

    @Test
    void sentinelsAndTheirMasterWithTlsAreUsed() {
        try (RedisProcess master = startWith(certificate);
                RedisProcess sentinel = TlsServers.startSentinel(certificate, master, "shop-1");
                RedisStore store = RedisStore.connect(
                        TlsServers.uri("rediss-sentinel", sentinel) + "/shop-1", trusting(certificate))) {
            assertUsable(store);
        }
    }

    private static void assertUsable(RedisStore store) {
        on(store).put("tls:4", TOKEN.toBytes(), Duration.ofMinutes(1));
        assertThat(on(store).read("tls:4")).isEqualTo(TOKEN.toBytes());
        Waiter waiter = new Waiter();
        notifications(store).watch("tls:4", waiter);
        waiter.awaitListenings(1);
        on(store).invalidate("tls:4");
        waiter.awaitNotices(1);
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

    private static RedisProcess startWith(Certificate certificate, String... more) {
        return TlsServers.start(certificate, more);
    }

    private static String uri(RedisProcess server) {
        return TlsServers.uri("rediss", server);
    }

    private static RedisStoreOptions trusting(Certificate certificate) {
        return SharedRedis.PATIENT.toBuilder()
                .sslContext(certificate.trusting())
                .build();
    }
}
