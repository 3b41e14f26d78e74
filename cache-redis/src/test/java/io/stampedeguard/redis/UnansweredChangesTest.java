package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/**
 * While Redis answers reads and leaves changes unanswered, as during a failover, a process that has found that out sends no
 * change for a caller, loads each key once, and queues changes.
 */
final class UnansweredChangesTest {
    /** A change waits for so long until the process has found out. No read does, however busy the machine is. */
    private static final RedisStoreOptions OPTIONS = RedisStoreOptions.builder()
            .commandTimeout(Duration.ofSeconds(3))
            .circuitBreaker(false)
            .build();

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final Jedis admin = redis.admin();
    private final AtomicInteger loads = new AtomicInteger();
    private final UnansweredSent unanswered = new UnansweredSent();
    private RedisStore store;
    private RedisStore patient;
    private StampedeGuardedCache<String, String> cache;
    private StampedeGuardedCache<String, String> other;
    private int found;

    private void open(boolean near) {
        store = RedisStore.connect(redis.uri(), OPTIONS);
        patient = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
        cache = cache(store, near);
        other = cache(patient, false);
    }

    private StampedeGuardedCache<String, String> cache(RedisStore on, boolean near) {
        StampedeGuardedCacheBuilder<String, String> builder = textCache("paused", on);
        if (on == store) {
            builder.listener(unanswered);
        }
        if (near) {
            builder.nearCache(NearCacheOptions.builder().maximumSize(1_000).build());
        }
        return builder.build();
    }

    @AfterEach
    void close() {
        goOn();
        if (store != null) {
            cache.close();
            other.close();
            store.close();
            patient.close();
        }
    }

    private String load(String key) {
        loads.incrementAndGet();
        return "row";
    }

    /** Pauses all writes for ten minutes, and lets the process find that out. */
    private void pause() {
        admin.sendCommand(Protocol.Command.CLIENT, "PAUSE", "600000", "WRITE");
        Fleet.until(() -> {
            int before = unanswered.count();
            cache.get("found out by " + found++, this::load);
            return before > 0 && unanswered.count() == before;
        });
    }

    private void goOn() {
        admin.sendCommand(Protocol.Command.CLIENT, "UNPAUSE");
    }

    @ForEach
    void nothingIsSentForCallersOnceThatIsKnown(boolean near) {
        open(near);
        for (String key : List.of("stored", "put", "invalidated", "expired")) {
            other.put(key, "old");
        }
        pause();
        ChangesEar ear = new ChangesEar();
        changes(store).watchChanges("ear", List.of(ear));
        int before = unanswered.count();

        for (CallForm form : CallForm.values()) {
            form.assertEachIsLoadedOnce(cache, this::load, loads, ear);
        }
        assertThat(cache.get("stored", this::load)).isEqualTo("old");
        cache.put("put", "new");
        cache.invalidate("invalidated");
        cache.expire("expired");
        assertThat(cache.get("put", this::load)).isEqualTo("new");
        assertThat(cache.get("invalidated", this::load)).isEqualTo("row");
        assertThat(unanswered.count()).isEqualTo(before);

        goOn();
        Fleet.until(() -> !"old".equals(other.getIfPresent("put")) && !"old".equals(other.getIfPresent("invalidated")));
        Fleet.until(() -> cache.get("k", this::load).equals("row") && other.getIfPresent("k") != null);
    }
}
