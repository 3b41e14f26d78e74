package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.testbed.FreePort;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** The messages for a user who connects to the wrong address. */
class ConnectTest {
    private static final RedisStoreOptions FAIL_FAST =
            SharedRedis.PATIENT.toBuilder().failFast(true).build();

    @AutoClose
    private static final RedisProcess server = RedisServer.startProcess();

    private static void assertFails(String uri, String message) {
        LogLines log = LogLines.of(() -> assertThatThrownBy(() -> RedisStore.connect(uri, FAIL_FAST))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(message));
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void failFastNamesAHostThatDoesNotExist() {
        assertFails(
                "redis://nowhere.invalid:6379",
                "could not connect to Redis at nowhere.invalid:6379: unknown host, nowhere.invalid");
    }

    /** Some pools clear it when they wait for the end of their threads. */
    @Test
    void closeKeepsTheInterruptOfItsCaller() {
        TimeSource time = TimeSource.system();
        RedisKeys keys = new RedisKeys("");
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(server.host(), server.port())
                .clientConfig(Topologies.config())
                .poolConfig(Topologies.pool(1))
                .build()) {
            ClientConnections connections = ClientConnections.of(client);
            Commands commands = new Commands(client, connections, Duration.ofSeconds(20), "", null, true, keys, time);
            RedisStore store = new RedisStore(commands, keys, time, Thread::interrupted, null, null);
            Thread.currentThread().interrupt();

            store.close();

            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void failFastNamesAPortThatIsClosed() throws Exception {
        int port = FreePort.find();
        assertFails(
                "redis://127.0.0.1:" + port,
                "could not connect to Redis at 127.0.0.1:" + port + ": Connection refused");
    }

    @Test
    void tlsOnAPlainPortIsSuspected() {
        RedisStoreOptions options =
                FAIL_FAST.toBuilder().commandTimeout(Duration.ofMillis(500)).build();
        assertThatThrownBy(() -> RedisStore.connect("rediss://127.0.0.1:" + server.port(), options))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("if the server does not use TLS, connect with redis://");
    }

    @Test
    void missingPasswordIsNamedWithOrWithoutFailFast() {
        try (RedisProcess guarded = RedisServer.startProcess("--requirepass", "geheim")) {
            String uri = "redis://127.0.0.1:" + guarded.port();
            String message = "could not connect to Redis at 127.0.0.1:" + guarded.port() + ": NOAUTH";
            assertFails(uri, message);
            assertThatThrownBy(() -> RedisStore.connect(uri, SharedRedis.PATIENT))
                    .hasMessageStartingWith(message)
                    .hasMessageEndingWith("The URI has no password");
        }
    }

    @Test
    void withoutFailFastItIsOneWarningThatNamesTheCause() throws Exception {
        int port = FreePort.find();
        LogLines log = LogLines.of(() -> RedisStore.connect("redis://127.0.0.1:" + port, SharedRedis.WITHOUT_BREAKER)
                .close());
        assertThat(log.only(""))
                .contains("WARN io.stampedeguard.redis.RedisStore - could not connect to Redis at 127.0.0.1:" + port
                        + ": Connection refused; the cache works without Redis until it answers");
    }

    @Test
    void stateIsTold() {
        try (RedisProcess other = RedisServer.startProcess();
                RedisStore store = RedisStore.connect(
                        other.uri(), FAIL_FAST.toBuilder().circuitBreaker(true).build())) {
            assertThat(store.ping()).isPositive();
            assertThat(store)
                    .hasToString("RedisStore{at 127.0.0.1:" + other.port()
                            + ", answers; calls in progress: 0 of 64, waiting: 0}");
            other.kill();
            assertThatThrownBy(store::ping)
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not ping at 127.0.0.1:" + other.port());
            Fleet.until(() -> store.toString().contains("does not answer: Connection refused"));
        }
    }
}
