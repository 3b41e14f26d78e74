package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import redis.clients.jedis.Jedis;

/** A server that refuses a ping has answered it: the connections for messages stay, and near caches have no gap. */
final class RefusedPingsTest {
    private static final Pattern REFUSED_PINGS = Pattern.compile("cmdstat_ping:.*rejected_calls=(\\d+)");
    private static final int SOME = 3;

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final Jedis admin = redis.admin();

    /** Why a ping is refused. */
    private enum Reason {
        MISCONF {
            @Override
            void begin(Jedis admin) {
                WriteRefusal.MISCONF.begin(admin);
            }
        },
        NOPERM {
            @Override
            void begin(Jedis admin) {
                admin.aclSetUser("default", "-ping");
            }
        };

        abstract void begin(Jedis admin);
    }

    private long refusedPings() {
        Matcher found = REFUSED_PINGS.matcher(admin.info("commandstats"));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    @ForEach
    void aRefusedPingProvesThatNoChangeIsMissing(Reason reason) {
        ChangesEar ear = new ChangesEar();
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            changes(store).watchChanges("products", List.of(ear));
            ear.awaitListening(1);
            reason.begin(admin);

            long before = refusedPings();
            Fleet.until(() -> refusedPings() > before);
            ear.awaitAll();

            assertThat(refusedPings()).isGreaterThan(before);
        }
    }

    /** The near cache answers everything while some pings are refused; a process that stalls for seconds begins again. */
    @ForEach
    void aNearCacheHasNoGapWhilePingsAreRefused(Reason reason) {
        RecordingListener listener = new RecordingListener();
        Origin origin = new Origin("row");
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cache = textCache("mis", store)
                        .nearCache(NearCacheOptions.builder()
                                .maximumSize(10)
                                .maxStaleness(Duration.ofMinutes(1))
                                .build())
                        .listener(listener)
                        .build()) {
            Fleet.until(() -> isNear(cache, origin, listener));
            reason.begin(admin);

            Fleet.until(() -> {
                long refused = refusedPings();
                boolean isNear = true;
                while (isNear && refusedPings() < refused + SOME) {
                    isNear = isNear(cache, origin, listener);
                }
                return isNear;
            });
        }
    }

    private static boolean isNear(
            StampedeGuardedCache<String, String> cache, Origin origin, RecordingListener listener) {
        long near = listener.count(AnswerSource.NEAR);
        assertThat(cache.get("k", origin::read)).isEqualTo("row");
        return listener.count(AnswerSource.NEAR) > near;
    }

    @ForEach
    void theConnectionForLeaseNotificationsStays(Reason reason) {
        try (RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            Waiter waiter = new Waiter();
            notifications(store).watch("k", waiter);
            waiter.awaitListenings(1);
            reason.begin(admin);

            long before = refusedPings();
            Fleet.until(() -> refusedPings() >= before + SOME);

            assertThat(waiter.listenings()).as("it was never subscribed again").isEqualTo(1);
        }
    }
}
