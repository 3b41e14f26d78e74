package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.ChangesEar;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    /** The minimal rights of a user for the cache "products". */
    private static final String SHOP = "--user shop on >geheim1@: ~{products:*"
            + " +get +mget +getrange +set +del +setrange +strlen +pttl +pexpire +time +ping +eval +evalsha +hello";

    /** The additional rights to be notified when leases end, and to send such notifications. */
    private static final String TOLD = SHOP.replace("shop", "told") + " &{products:* +publish +subscribe +unsubscribe";

    private static final String IDLE = "--user idle on >geheim2 +ping +hello";

    @AutoClose
    private static final RedisProcess SERVER =
            RedisServer.startProcess(("--requirepass geheim0 " + SHOP + " " + TOLD + " " + IDLE).split(" "));

    @Test
    void leastRightsSufficeWithAWarningThatChangesAreNotPublished() {
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(uri("shop:geheim1%40%3A"), SharedRedis.PATIENT)) {
                String key = "products:" + LeaseToken.next();
                LeaseToken token = LeaseToken.next();
                assertThat(on(store).read(key)).isNull();
                assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
                assertThat(on(store).lease(key, LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Held.class);
                assertThat(store.shared().renew(List.of(new HeldLease(key, token)), LONG))
                        .isEmpty();
                assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
                assertThat(on(store).lease(key, token, token, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
                assertThat(on(store).fail(key, token, new LeaseEnd.Fail(new byte[1], 1, LONG, LONG)))
                        .isTrue();
                assertThat(on(store).lease(key, token, token, LONG)).isInstanceOf(LeaseAttempt.Failed.class);
                on(store).expire(key, 0, new byte[] {1});
                on(store).put(key, token.toBytes(), LONG);
                assertThat(on(store).abandon(key, token)).isFalse();
                on(store).invalidate(key);
                assertThat(store.toString()).doesNotContain("geheim");
            }
        });
        assertThat(log.lines()).singleElement().asString().contains("does not permit this user to publish changes");
    }

    @Test
    void userWithTheRightToTheChannelsIsNotified() {
        try (RedisStore store = RedisStore.connect(uri("told:geheim1%40%3A"), SharedRedis.PATIENT)) {
            Waiter waiter = new Waiter();
            ChangesEar ear = new ChangesEar();
            notifications(store).watch("products:1", waiter);
            changes(store).watchChanges("products", List.of(ear));
            waiter.awaitListenings(1);
            ear.awaitListening(1);
            on(store).put("products:1", LeaseToken.next().toBytes(), LONG);
            waiter.awaitNotices(1);
            ear.awaitChanged("products:1");
            ear.awaitAll();
        }
    }

    @Test
    void thePasswordOfTheDefaultUserIsEnough() {
        try (RedisStore store = RedisStore.connect(uri(":geheim0"), SharedRedis.PATIENT)) {
            assertThat(on(store).read("products:1")).isNull();
        }
    }

    @Test
    void wrongOrMissingCredentialsAreRefusedAtOnceAndNeverTold() {
        String place = "could not connect to Redis at 127.0.0.1:" + SERVER.port() + ": ";
        assertRefused(() -> RedisStore.connect(uri("shop:geheim3"), SharedRedis.PATIENT), place + "WRONGPASS");
        assertRefused(() -> RedisStore.connect(uri(":geheim3"), SharedRedis.PATIENT), place + "WRONGPASS");
        assertRefused(() -> RedisStore.connect(uri("nobody:geheim3"), SharedRedis.PATIENT), place + "WRONGPASS");
        assertRefused(() -> RedisStore.connect(SERVER.uri(), SharedRedis.PATIENT), place + "NOAUTH");
        assertRefused(() -> RedisStore.connect(uri("idle:geheim2"), SharedRedis.PATIENT), place + "NOPERM");
    }

    @Test
    void aDatabaseThatDoesNotExistIsRefusedAtOnce() {
        assertRefused(
                () -> RedisStore.connect(uri(":geheim0") + "/99", SharedRedis.PATIENT),
                "could not connect to Redis at 127.0.0.1:" + SERVER.port() + ": ERR DB index is out of range");
    }

    /** Such a server answers by repeating the arguments of the unknown command. */
    @ParameterizedTest
    @ValueSource(strings = {":geheim4", "user:geheim4"})
    void refusalOfAnUnknownLoginCommandDoesNotRepeatThePassword(String credentials) {
        try (RedisProcess server =
                RedisServer.startProcess("--rename-command", "AUTH", "", "--rename-command", "HELLO", "")) {
            assertRefused(
                    () -> RedisStore.connect(
                            "redis://" + credentials + "@127.0.0.1:" + server.port(), SharedRedis.PATIENT),
                    "could not connect to Redis at 127.0.0.1:" + server.port()
                            + ": ERR unknown command 'HELLO', some arguments");
        }
    }

    private static void assertRefused(ThrowingCallable connect, String message) {
        LogLines log = LogLines.of(() -> assertThatThrownBy(connect)
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(message)
                .satisfies(failure -> assertThat(stackTrace(failure)).doesNotContain("geheim")));
        assertThat(log.lines()).isEmpty();
    }

    private static String stackTrace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static String uri(String credentials) {
        return "redis://" + credentials + "@127.0.0.1:" + SERVER.port();
    }
}
