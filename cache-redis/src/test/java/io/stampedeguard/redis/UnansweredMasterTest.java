package io.stampedeguard.redis;

import static io.stampedeguard.redis.Topologies.ask;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;

/** One of three masters leaves changes unanswered: those of the others are sent. */
final class UnansweredMasterTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final String CACHE = "paused-master";

    private final StallingCluster cluster = new StallingCluster();

    private void send(String... words) {
        ask(cluster.stalling(), admin -> admin.sendCommand(Protocol.Command.CLIENT, words));
    }

    private Iterator<String> keys(boolean ofPaused) {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(Integer::toString)
                .filter(key -> cluster.isStalling(CACHE + ":" + key) == ofPaused)
                .iterator();
    }

    @Test
    void theOthersStoreWhatIsLoaded() {
        UnansweredSent unanswered = new UnansweredSent();
        Iterator<String> ofPaused = keys(true);
        Iterator<String> ofOthers = keys(false);
        try (RedisClusterClient client = cluster.client(TIMEOUT, 8);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                StampedeGuardedCache<String, String> cache =
                        textCache(CACHE, store).listener(unanswered).build()) {
            cache.get(ofPaused.next(), key -> "warm");
            send("PAUSE", "600000", "WRITE");
            Fleet.until(() -> {
                int before = unanswered.count();
                cache.get(ofPaused.next(), key -> "row");
                return before > 0 && unanswered.count() == before;
            });
            int before = unanswered.count();

            List<String> stored = List.of(ofOthers.next(), ofOthers.next());
            String unstored = ofPaused.next();
            cache.get(stored.get(0), key -> "row");
            cache.get(ofPaused.next(), key -> "row");
            assertThat(unanswered.count()).isEqualTo(before);
            cache.getAll(List.of(stored.get(1), unstored), asked -> {
                Map<String, String> rows = new HashMap<>();
                asked.forEach(key -> rows.put(key, "row"));
                return rows;
            });

            assertThat(stored)
                    .allSatisfy(key -> assertThat(on(store).read(CACHE + ":" + key))
                            .as("of another master")
                            .isNotNull());
            send("UNPAUSE");
        } finally {
            cluster.close();
        }
    }
}
