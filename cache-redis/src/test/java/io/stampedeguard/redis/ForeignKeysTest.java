package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** How the store treats its own Redis keys if another program has written them. */
class ForeignKeysTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final RedisClient client = SharedRedis.client();
    private final RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
    private final String key = "foreign:" + UUID.randomUUID();
    private final String value = "{" + key + "}";
    private final String lease = value + ":lease";
    private final LeaseToken token = LeaseToken.next();

    @AfterEach
    void close() {
        client.del(value, lease);
        client.close();
    }

    @Test
    void nonStringValueReadsAsEmptyAndIsOverwritten() {
        client.rpush(value, "a", "list");

        assertThat(on(store).read(key)).isEmpty();
        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
        assertThat(on(store).read(key)).startsWith(token.toBytes());
    }

    @Test
    void nonStringValueIsOverwrittenByPutAndLeftByExpire() {
        client.rpush(value, "a", "list");

        on(store).expire(key, 0, new byte[] {1});
        assertThat(client.type(value)).isEqualTo("list");
        on(store).put(key, token.toBytes(), LONG);
        assertThat(on(store).read(key)).isEqualTo(token.toBytes());
    }

    @Test
    void aLeaseThatIsNoStringDoesNotBlock() {
        client.rpush(lease, "a", "list");

        assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isFalse();
        assertThat(on(store).abandon(key, token)).isFalse();
        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(client.pttl(lease)).isBetween(1L, LONG.toMillis());
    }

    @Test
    void aLeaseWithoutEndIsTakenOver() {
        client.set(lease, "for ever");

        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(client.get(lease.getBytes(UTF_8))).startsWith(token.toBytes());
        assertThat(client.pttl(lease)).isBetween(1L, LONG.toMillis());
    }

    @ParameterizedTest
    @ValueSource(longs = {50_000, Long.MAX_VALUE / 4})
    void foreignLeaseWithAnEndIsHeldBySomebodyUnknown(long millis) {
        client.set(lease, "\u0000\n'secret'", SetParams.setParams().px(millis));

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask();

        assertThat(held.holder()).isNull();
        assertThat(held.remaining().toMillis()).isBetween(30_000L, millis);
    }

    @Test
    void aValueTooShortForATokenIsNotFound() {
        client.set(value, "15 bytes long..");
        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);

        client.set(value, "16 bytes long...");
        assertThat(on(store).lease(key, LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Found.class);
    }

    private LeaseAttempt ask() {
        return on(store).lease(key, token, null, LONG);
    }
}
