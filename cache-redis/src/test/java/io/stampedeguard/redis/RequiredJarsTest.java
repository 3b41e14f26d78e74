package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testkit.ClassPath;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** A jar that is missing is named with its coordinate. */
final class RequiredJarsTest {
    /** Connects to a server that does not exist. */
    public static final class Connect implements Callable<String> {
        @Override
        public String call() {
            RedisStore.connect("redis://127.0.0.1:1").close();
            return "connected";
        }
    }

    /** Uses a client of a server that does not exist. */
    public static final class Using implements Callable<String> {
        @Override
        public String call() {
            try (RedisClient client =
                    RedisClient.builder().hostAndPort("127.0.0.1", 1).build()) {
                RedisStore.using(client).close();
            }
            return "used";
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "circuitbreaker"})
    void resilience4jIsNamed(String part) {
        for (Class<? extends Callable<?>> code : List.of(Connect.class, Using.class)) {
            assertThatThrownBy(() -> ClassPath.call(code, ClassPath.without("resilience4j-" + part + "-.*")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the circuit breaker of RedisStore needs io.github.resilience4j:resilience4j-" + part
                            + ", which is not on the class path: add this dependency");
        }
    }
}
