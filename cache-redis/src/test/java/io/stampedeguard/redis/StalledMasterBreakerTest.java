package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.breaker;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** One of three masters stalls, and no request to it ends while a test runs: what its circuit breaker hears, and when. */
@Timeout(180)
class StalledMasterBreakerTest {
    /** Far beyond the time limit of a test. */
    private static final Duration HANGS = Duration.ofMinutes(10);

    private static final JedisConnectionException UNANSWERED = new JedisConnectionException("no answer");

    @AutoClose
    private static final StallingCluster cluster = new StallingCluster();

    private final List<String> keys = cluster.keys("breaker-" + LeaseToken.next(), 1);
    private final String stalled =
            keys.stream().filter(cluster::isStalling).findFirst().orElseThrow();
    private final String address =
            cluster.stalling().host() + ":" + cluster.stalling().port();
    private final AtomicBoolean hasCredentials = new AtomicBoolean(true);
    private final RedisClusterClient client = cluster.client(HANGS, 8, this::credentials);
    private final RedisStore store = RedisStore.using(
            client,
            RedisStoreOptions.builder().commandTimeout(Duration.ofMinutes(1)).build());
    private final Commands commands = store.onRedis().commands();
    private final Cluster known = requireNonNull(commands.cluster());

    @BeforeEach
    void learnSlots() {
        keys.forEach(on(store)::read);
    }

    @AfterEach
    void close() {
        cluster.goOn();
        store.close();
        client.close();
    }

    private RedisCredentials credentials() {
        if (!hasCredentials.get()) {
            throw new IllegalStateException("no credentials, says the test");
        }
        return new DefaultRedisCredentials(null, (CharSequence) null);
    }

    private static byte[] redisKey(String key) {
        return new RedisKeys("").value(key);
    }

    @Test
    void pingsOfNearCachesWithoutAnAnswerOpenThatOfTheirMaster() {
        cluster.stall();

        commands.silent(address, System.nanoTime());
        commands.silent(address, System.nanoTime());

        assertThat(breaker(store).breaker()).isNotEqualTo(BreakerState.CLOSED);
        assertThat(keys)
                .allSatisfy(
                        key -> assertThat(breaker(store).refusal(key) != null).isEqualTo(cluster.isStalling(key)));
    }

    @Test
    void aMasterThatAcceptsNoConnectionOpensItsBreaker() {
        ServerBreaker breaker =
                requireNonNull(requireNonNull(commands.breakers()).of(known.knownMaster(redisKey(stalled))));
        requireNonNull(client.getClusterNodes().get(address)).clear();
        cluster.stall();

        breaker.failed(System.nanoTime(), UNANSWERED);

        Fleet.until(() -> refuses(breaker));
    }

    @Test
    void aMasterWithoutCredentialsForItIsSilentToo() {
        requireNonNull(client.getClusterNodes().get(address)).clear();
        hasCredentials.set(false);

        assertThatThrownBy(() -> on(store).read(stalled)).hasRootCauseMessage("no credentials, says the test");

        Fleet.until(() -> breaker(store).refusal(stalled) != null);
    }

    @Test
    void anInterruptedCallerProvesNothing() {
        cluster.stall();
        requireNonNull(known.breaker(known.knownMaster(redisKey(stalled)), redisKey(stalled)))
                .failed(System.nanoTime(), UNANSWERED);

        for (int i = 0; i < 2; i++) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> on(store).read(stalled)).isInstanceOf(StoreException.class);
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(breaker(store).breaker()).isEqualTo(BreakerState.CLOSED);
    }

    private static boolean refuses(ServerBreaker breaker) {
        try {
            breaker.check();
            return false;
        } catch (ServerBreaker.Open refusal) {
            return true;
        }
    }
}
