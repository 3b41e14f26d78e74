package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.exceptions.JedisException;

class UserCredentialsTest {
    @Test
    void socketIsClosedWhateverTheSupplierThrows() throws IOException {
        try (RedisProcess server = RedisServer.startProcess()) {
            assertThat(socketAfter(server, () -> {
                        throw new IllegalStateException("no token");
                    }))
                    .matches(Socket::isClosed);
            assertThat(socketAfter(server, () -> {
                        throw new AssertionError("no token");
                    }))
                    .matches(Socket::isClosed);
        }
    }

    /** Returns the socket of a connection that the supplier has kept from its login. */
    private static Socket socketAfter(RedisProcess server, Supplier<RedisCredentials> supplier) throws IOException {
        Socket socket = new Socket(server.host(), server.port());
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder()
                .resp2()
                .credentialsProvider(new UserCredentials(supplier))
                .build();
        assertThatThrownBy(() -> new Connection(() -> socket, config))
                .isInstanceOf(JedisException.class)
                .hasRootCauseMessage("no token");
        return socket;
    }

    @Test
    void providerIsPreparedAndCleanedUp() {
        List<String> steps = new ArrayList<>();
        UserCredentials credentials = new UserCredentials(new RedisCredentialsProvider() {
            @Override
            public void prepare() {
                steps.add("prepare");
            }

            @Override
            public RedisCredentials get() {
                steps.add("get");
                return new DefaultRedisCredentials("shop", "geheim");
            }

            @Override
            public void cleanUp() {
                steps.add("cleanUp");
            }
        });
        credentials.prepare();
        assertThat(credentials.get().getUser()).isEqualTo("shop");
        credentials.cleanUp();
        assertThat(steps).containsExactly("prepare", "get", "cleanUp");
    }

    @Test
    void errorOfTheJvmPassesThrough() {
        UserCredentials credentials = new UserCredentials(() -> {
            throw new OutOfMemoryError("heap");
        });
        assertThatThrownBy(credentials::get).isInstanceOf(OutOfMemoryError.class);
    }
}
