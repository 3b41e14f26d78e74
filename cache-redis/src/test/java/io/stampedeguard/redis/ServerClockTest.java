package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.command.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/**
 * The clock of the server is set back by two hours, or a failover leads to a server whose clock is behind: everything
 * that has an expiry time expires two hours later. For a key, this equals a longer remaining life, which the tests set;
 * they let time pass in the same way.
 */
final class ServerClockTest {
    private static final Duration SET_BACK = ofHours(2);
    private static final Duration LEASE = ofMinutes(2);
    private static final byte[] FAILURE = "Broken".getBytes(UTF_8);

    private static RedisClient admin;
    private static RedisStore store;

    private final String key = "clock:" + UUID.randomUUID();
    private final byte[] lease = new RedisKeys("").lease(key);

    @BeforeAll
    static void start() {
        admin = SharedRedis.client();
        store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
    }

    @AfterAll
    static void stop() {
        store.close();
        admin.close();
    }

    private void setBack() {
        prolong(SET_BACK);
    }

    private void letPass(Duration length) {
        prolong(length.negated());
    }

    private void prolong(Duration by) {
        admin.pexpire(lease, admin.pttl(lease) + by.toMillis());
    }

    private LeaseAttempt ask() {
        return on(store).lease(key, LeaseToken.next(), null, LEASE);
    }

    @Test
    void deadLeadersLeaseEndsWithinItsLengthAfterTheNextRequest() {
        LeaseToken dead = LeaseToken.next();
        on(store).lease(key, dead, null, ofMinutes(1));
        setBack();
        assertThat(store.shared().inspect(key).lease()).isEqualTo(new LeaseAttempt.Held(dead, ofMinutes(1)));

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask();

        assertThat(held.holder()).isEqualTo(dead);
        assertThat(held.remaining()).isEqualTo(ofMinutes(1));
        letPass(ofMinutes(1));
        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void leaseHasTheLengthOfItsHolderNotOfTheRequester() {
        on(store).lease(key, LeaseToken.next(), null, ofHours(1));

        LeaseAttempt.Held held = (LeaseAttempt.Held) on(store).lease(key, LeaseToken.next(), null, ofMillis(10));

        assertThat(held.remaining()).isBetween(ofMinutes(30), ofHours(1));
    }

    @Test
    void renewedLeaseHasTheLengthOfItsRenewal() {
        LeaseToken token = LeaseToken.next();
        on(store).lease(key, token, null, ofMinutes(1));
        store.shared().renew(List.of(new HeldLease(key, token)), ofHours(1));

        assertThat(((LeaseAttempt.Held) ask()).remaining()).isGreaterThan(ofMinutes(30));
    }

    @Test
    void coolDownIsNoLongerThanItWas() {
        LeaseToken token = LeaseToken.next();
        on(store).lease(key, token, null, LEASE);
        on(store).fail(key, token, new LeaseEnd.Fail(FAILURE, 1, ofMinutes(1), ofMinutes(5)));
        setBack();

        LeaseAttempt.Failed failed = (LeaseAttempt.Failed) ask();

        assertThat(failed.remaining()).isEqualTo(ofMinutes(1));
        assertThat(failed.failure()).isEqualTo(FAILURE);
        letPass(ofMinutes(1));
        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void markOfAnUnstoredResultIsNoLongerThanItWas() {
        LeaseToken token = LeaseToken.next();
        on(store).lease(key, token, null, LEASE);
        on(store).pass(key, token, new LeaseEnd.Pass(null, ofMinutes(1), false, List.of()));
        setBack();

        assertThat(((LeaseAttempt.NotCacheable) ask()).remaining()).isEqualTo(ofMinutes(1));
        letPass(ofMinutes(1));
        assertThat(ask()).isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void leaseWithoutALengthHasTheLengthOfTheRequester() {
        admin.set(lease, "somebody else's".getBytes(UTF_8));
        admin.pexpire(lease, SET_BACK.toMillis());

        LeaseAttempt.Held held = (LeaseAttempt.Held) ask();

        assertThat(held.holder()).isNull();
        assertThat(held.remaining()).isEqualTo(LEASE);
    }
}
