package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.StoreException;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisConnectionException;
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

    /** Such as that of a provider of credentials. */
    @Test
    void exceptionOfUserCodeWhoseMethodsThrowIsAFailureLikeOthers() {
        RuntimeException unspeakable = new IllegalStateException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalArgumentException("no message");
            }

            @Override
            public synchronized Throwable getCause() {
                throw new IllegalArgumentException("no cause");
            }
        };

        StoreException failure = RedisFailure.toStoreException("read", "", unspeakable);

        assertThat(failure.getMessage()).startsWith("could not read: ");
        assertThat(failure).hasCause(unspeakable);
        assertThat(RedisFailure.isRefusal(failure)).isFalse();
        assertThat(RedisFailure.isShortage(failure)).isFalse();
    }

    @Test
    void refusalIsFoundAmongTheCauses() {
        one.initCause(new JedisDataException("NOAUTH Authentication required."));

        assertThat(RedisFailure.isRefusal(new StoreException("failed", one))).isTrue();
    }

    @Test
    void serverErrorTextIsEscapedInTheMessageAndTheCause() {
        RuntimeException refused = new JedisDataException("ERR \u001b[31mred\nforged line");

        StoreException failure = RedisFailure.toStoreException("read", "", refused);

        assertThat(failure).hasMessage("could not read: ERR \\u{1b}[31mred\\u{a}forged line");
        assertThat(failure.getCause())
                .isInstanceOf(JedisDataException.class)
                .hasMessage("ERR \\u{1b}[31mred\\u{a}forged line");
        assertThat(RedisFailure.isRefusal(failure)).isTrue();
    }

    @Test
    void brokenConnectionWithAStrangeTextIsStillABrokenConnection() {
        RuntimeException broken = new JedisConnectionException("Unknown reply: \u001b");

        StoreException failure = RedisFailure.toStoreException("read", "", broken);

        assertThat(failure.getCause())
                .isInstanceOf(JedisConnectionException.class)
                .hasMessage("Unknown reply: \\u{1b}");
        assertThat(RedisFailure.isRefusal(failure)).isFalse();
    }

    @Test
    void plainFailureIsItsOwnCause() {
        RuntimeException refused = new JedisDataException("ERR no such command");

        assertThat(RedisFailure.toStoreException("read", "", refused)).hasCause(refused);
    }
}
