package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseState;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.UnstoredResult;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/**
 * The clock of the server is set back by two minutes, or a failover leads to a server whose clock is behind: whatever was
 * to end at a certain time ends two minutes later. To the keys, that is the same as a longer life, which is given to them here.
 */
final class ServerClockTest {
    private static final Duration SET_BACK = ofSeconds(120);
    private static final Duration LEASE = ofSeconds(2);
    private static final byte[] FAILURE = "Broken".getBytes(UTF_8);

    private static RedisClient admin;
    private static RedisStore store;

    private final String key = "clock:" + UUID.randomUUID();
    private final byte[] lease = new RedisKeys("").lease(key);

    @BeforeAll
    static void start() {
        admin = SharedRedis.client();
        store = RedisStore.connect(SharedRedis.uri());
    }

    @AfterAll
    static void stop() {
        store.close();
        admin.close();
    }

    private void setBack() {
        admin.pexpire(lease, admin.pttl(lease) + SET_BACK.toMillis());
    }

    private LeaseAttempt ask() {
        return store.lease(key, LeaseToken.next(), null, LEASE);
    }

    @Test
    void leaseOfADeadLeaderLivesNoLongerThanItsLengthFromTheNextQuestionOn() {
        LeaseToken dead = LeaseToken.next();
        store.lease(key, dead, null, ofMillis(300));
        setBack();
        assertThat(store.inspect(key).lease()).isEqualTo(new LeaseState.Held(dead, ofMillis(300)));

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask();

        assertThat(held.holder()).isEqualTo(dead);
        assertThat(held.remaining()).isEqualTo(ofMillis(300));
        assertThat(admin.pttl(lease)).isLessThanOrEqualTo(300);
        Fleet.until(() -> ask() instanceof LeaseAttempt.Granted);
    }

    @Test
    void lengthOfALeaseIsThatOfItsHolderAndNotOfWhoAsks() {
        store.lease(key, LeaseToken.next(), null, ofSeconds(60));

        LeaseAttempt.Held held = (LeaseAttempt.Held) store.lease(key, LeaseToken.next(), null, ofMillis(10));

        assertThat(held.remaining()).isBetween(ofSeconds(50), ofSeconds(60));
    }

    @Test
    void renewedLeaseHasTheLengthOfItsRenewal() {
        LeaseToken token = LeaseToken.next();
        store.lease(key, token, null, ofMillis(500));
        store.renew(java.util.List.of(new io.stampedeguard.store.HeldLease(key, token)), ofSeconds(60));

        assertThat(((LeaseAttempt.Held) ask()).remaining()).isGreaterThan(ofSeconds(50));
    }

    @Test
    void coolDownIsNoLongerThanItWas() {
        LeaseToken token = LeaseToken.next();
        store.lease(key, token, null, LEASE);
        store.fail(key, token, new FailedLoad(FAILURE, 1, ofMillis(200), ofSeconds(5)));
        setBack();

        LeaseAttempt.Failed failed = (LeaseAttempt.Failed) ask();

        assertThat(failed.remaining()).isLessThanOrEqualTo(ofMillis(200));
        assertThat(failed.failure()).isEqualTo(FAILURE);
        Fleet.until(() -> ask() instanceof LeaseAttempt.Granted);
    }

    @Test
    void markOfAnUnstoredResultIsNoLongerThanItWas() {
        LeaseToken token = LeaseToken.next();
        store.lease(key, token, null, LEASE);
        store.pass(key, token, new UnstoredResult(null, ofMillis(200), false));
        setBack();

        assertThat(((LeaseAttempt.NotCacheable) ask()).remaining()).isLessThanOrEqualTo(ofMillis(200));
        Fleet.until(() -> ask() instanceof LeaseAttempt.Granted);
    }

    @Test
    void leaseThatNobodyGaveALengthLivesAsLongAsThatOfWhoAsks() {
        admin.set(lease, "somebody else's".getBytes(UTF_8));
        admin.pexpire(lease, 100_000);

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask();

        assertThat(held.holder()).isNull();
        assertThat(held.remaining()).isLessThanOrEqualTo(LEASE);
    }
}
