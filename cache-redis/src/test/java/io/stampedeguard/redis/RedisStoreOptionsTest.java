package io.stampedeguard.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.RedisCredentials;

class RedisStoreOptionsTest {
    @Test
    void theDefaultsAreThoseOfTheDocumentation() {
        assertThat(RedisStoreOptions.defaults())
                .hasToString("RedisStoreOptions{commandTimeout=PT1S, maxConnections=64, keyPrefix='',"
                        + " clientName=null, credentials=of the URI, sslContext=default, verifiesHostname=true,"
                        + " failFast=false}");
        assertThat(RedisStoreOptions.defaults().borrowTimeout()).isEqualTo(ofSeconds(2));
        assertThat(RedisStoreOptions.defaults().slowCall()).isEqualTo(ofMillis(150));
        assertThat(RedisStoreOptions.defaults().combineReads()).isTrue();
    }

    @Test
    void toBuilderKeepsEveryOption() throws Exception {
        Supplier<RedisCredentials> credentials = () -> new DefaultRedisCredentials("shop", "geheim");
        SSLParameters parameters = new SSLParameters();
        RedisStoreOptions options = RedisStoreOptions.builder()
                .commandTimeout(ofSeconds(4))
                .maxConnections(6)
                .keyPrefix("shop:")
                .clientName("shop")
                .credentials(credentials)
                .sentinelCredentials(credentials)
                .sslContext(SSLContext.getDefault())
                .sslParameters(parameters)
                .verifyHostname(false)
                .failFast(true)
                .circuitBreaker(false)
                .combineReads(false)
                .build();

        assertThat(options.toBuilder().build())
                .hasToString("RedisStoreOptions{commandTimeout=PT4S, maxConnections=6, keyPrefix='shop:',"
                        + " clientName=shop, credentials=given, sslContext=given, verifiesHostname=false,"
                        + " failFast=true}");
        assertThat(options.toBuilder().build().slowCall()).isNull();
        assertThat(options.toBuilder().build().combineReads()).isFalse();
        assertThat(options.toBuilder().build().clientSettings()).isEqualTo(options.clientSettings());
        assertThat(options.clientSettings().sslContext()).isSameAs(SSLContext.getDefault());
        assertThat(options.clientSettings().sslParameters()).isSameAs(parameters);
        assertThat(options.clientSettings().credentials()).isSameAs(credentials);
    }

    @Test
    void limitsFollowFromTheCommandTimeout() {
        RedisStoreOptions patient =
                RedisStoreOptions.builder().commandTimeout(ofSeconds(20)).build();
        RedisStoreOptions brief =
                RedisStoreOptions.builder().commandTimeout(ofMillis(100)).build();

        assertThat(patient.borrowTimeout()).isEqualTo(ofSeconds(40));
        assertThat(patient.slowCall()).isEqualTo(ofSeconds(3));
        assertThat(brief.borrowTimeout()).isEqualTo(ofMillis(200));
        assertThat(brief.slowCall()).isEqualTo(ofMillis(150));
    }

    @Test
    void aBuilderThatGoesOnDoesNotChangeWhatItBuilt() {
        RedisStoreBuilder builder = RedisStoreOptions.builder();
        RedisStoreOptions options = builder.build();
        builder.maxConnections(99);
        assertThat(options.clientSettings().maxConnections()).isEqualTo(64);
    }

    @Test
    void whatIsOutOfRangeIsNamedWithItsValue() {
        assertRefused(b -> b.commandTimeout(Duration.ZERO), "commandTimeout PT0S is not between PT0.001S and PT1M");
        assertRefused(b -> b.commandTimeout(ofSeconds(61)), "commandTimeout PT1M1S is not between PT0.001S and PT1M");
        assertRefused(b -> b.commandTimeout(ofMillis(-1)), "commandTimeout PT-0.001S is not between PT0.001S and PT1M");
        assertRefused(b -> b.maxConnections(0), "maxConnections 0 is not between 1 and 10000");
        assertRefused(
                b -> b.keyPrefix("{shop}"),
                "keyPrefix '{shop}' contains a brace, which marks a hash tag in Redis Cluster");
        assertRefused(
                b -> b.clientName("my shop"), "clientName 'my shop' contains characters other than visible ASCII");
    }

    @Test
    void whatIsMissingIsNamedAtOnce() {
        RedisStoreBuilder builder = RedisStoreOptions.builder();
        assertMissing(() -> builder.commandTimeout(null), "commandTimeout");
        assertMissing(() -> builder.keyPrefix(null), "keyPrefix");
        assertMissing(() -> builder.clientName(null), "clientName");
        assertMissing(() -> builder.credentials(null), "credentials");
        assertMissing(() -> builder.sentinelCredentials(null), "sentinelCredentials");
        assertMissing(() -> builder.sslContext(null), "sslContext");
        assertMissing(() -> builder.sslParameters(null), "sslParameters");
        assertMissing(() -> builder.connect(null), "uri");
        assertMissing(() -> RedisStore.using(null), "client");
    }

    private static void assertMissing(ThrowingCallable call, String name) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name);
    }

    private static void assertRefused(UnaryOperator<RedisStoreBuilder> setting, String message) {
        assertThatThrownBy(() -> setting.apply(RedisStoreOptions.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
