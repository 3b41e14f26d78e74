package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.store.StoreException;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;

final class RedisFailureTest {
    private final Throwable one = new IllegalStateException("one");
    private final Throwable other = new IllegalStateException("other");

    @Test
    void cycleOfCausesIsNoRefusal() {
        one.initCause(other);
        other.initCause(one);
        StoreException failure = new StoreException("failed", one);

        assertThat(RedisFailure.isRefusal(failure)).isFalse();
        assertThat(RedisFailure.isShortage(failure)).isFalse();
        assertThat(RedisFailure.reason(failure)).isIn("one", "other");
    }

    @Test
    void refusalIsFoundAmongTheCauses() {
        one.initCause(new JedisDataException("NOAUTH Authentication required."));

        assertThat(RedisFailure.isRefusal(new StoreException("failed", one))).isTrue();
    }
}
