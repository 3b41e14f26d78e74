package io.stampedeguard.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisProtocol;

class RedisStoreOptionsTest {
    @Test
    void theDefaultsAreThoseOfTheDocumentation() {
        assertThat(RedisStoreOptions.defaults())
                .hasToString("RedisStoreOptions{connectTimeout=PT1S, commandTimeout=PT1S, borrowTimeout=PT2S,"
                        + " maxConnections=64, keyPrefix='', protocol=RESP2,"
                        + " clientName=null, sslContext=default, verifiesHostname=true, failFast=false,"
                        + " circuitBreaker=true, breakerSlowCall=PT0.15S, combineReads=true}");
    }

    @Test
    void toBuilderKeepsEveryOption() throws Exception {
        RedisStoreOptions options = RedisStoreOptions.builder()
                .connectTimeout(ofSeconds(3))
                .commandTimeout(ofSeconds(4))
                .borrowTimeout(ofSeconds(5))
                .maxConnections(6)
                .keyPrefix("shop:")
                .protocol(RedisProtocol.RESP3)
                .clientName("shop")
                .sslContext(SSLContext.getDefault())
                .verifyHostname(false)
                .failFast(true)
                .circuitBreaker(false)
                .breakerSlowCall(ofMillis(400))
                .combineReads(false)
                .build();

        assertThat(options.toBuilder().build())
                .hasToString("RedisStoreOptions{connectTimeout=PT3S, commandTimeout=PT4S, borrowTimeout=PT5S,"
                        + " maxConnections=6, keyPrefix='shop:', protocol=RESP3,"
                        + " clientName=shop, sslContext=given, verifiesHostname=false, failFast=true,"
                        + " circuitBreaker=false, breakerSlowCall=PT0.4S, combineReads=false}");
        assertThat(options.toBuilder().build().clientSettings().sslContext()).isSameAs(SSLContext.getDefault());
    }

    @Test
    void aBuilderThatGoesOnDoesNotChangeWhatItBuilt() {
        RedisStoreOptionsBuilder builder = RedisStoreOptions.builder();
        RedisStoreOptions options = builder.build();
        builder.maxConnections(99);
        assertThat(options.clientSettings().maxConnections()).isEqualTo(64);
    }

    @Test
    void whatIsOutOfRangeIsNamedWithItsValue() {
        assertRefused(b -> b.connectTimeout(Duration.ZERO), "connectTimeout PT0S is not between PT0.001S and PT1M");
        assertRefused(b -> b.commandTimeout(ofSeconds(61)), "commandTimeout PT1M1S is not between PT0.001S and PT1M");
        assertRefused(b -> b.commandTimeout(ofMillis(-1)), "commandTimeout PT-0.001S is not between PT0.001S and PT1M");
        assertRefused(b -> b.borrowTimeout(ofSeconds(61)), "borrowTimeout PT1M1S is not between PT0.001S and PT1M");
        assertRefused(b -> b.breakerSlowCall(ofMillis(0)), "breakerSlowCall PT0S is not between PT0.001S and PT1M");
        assertRefused(b -> b.maxConnections(0), "maxConnections 0 is not between 1 and 10000");
        assertRefused(
                b -> b.keyPrefix("{shop}"),
                "keyPrefix '{shop}' contains a brace, which marks a hash tag in Redis Cluster");
        assertRefused(
                b -> b.clientName("my shop"), "clientName 'my shop' contains characters other than visible ASCII");
    }

    @Test
    void whatIsMissingIsNamedAtOnce() {
        RedisStoreOptionsBuilder builder = RedisStoreOptions.builder();
        assertMissing(() -> builder.connectTimeout(null), "connectTimeout");
        assertMissing(() -> builder.commandTimeout(null), "commandTimeout");
        assertMissing(() -> builder.borrowTimeout(null), "borrowTimeout");
        assertMissing(() -> builder.breakerSlowCall(null), "breakerSlowCall");
        assertMissing(() -> builder.keyPrefix(null), "keyPrefix");
        assertMissing(() -> builder.protocol(null), "protocol");
        assertMissing(() -> builder.clientName(null), "clientName");
        assertMissing(() -> builder.sslContext(null), "sslContext");
        assertMissing(() -> RedisStore.using(null), "client");
    }

    private static void assertMissing(ThrowingCallable call, String name) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name);
    }

    private static void assertRefused(UnaryOperator<RedisStoreOptionsBuilder> setting, String message) {
        assertThatThrownBy(() -> setting.apply(RedisStoreOptions.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
