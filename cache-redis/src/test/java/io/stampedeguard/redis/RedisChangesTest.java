package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.KeyCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** The notifications of near caches while connections and servers fail and return. */
class RedisChangesTest {
    private static final String THREADS = "stampedeguard-redis-changes";
    private static final Duration LONG = Duration.ofMinutes(1);

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final Jedis admin = redis.admin();
    private final List<RedisStore> opened = new ArrayList<>();

    @AfterEach
    void stop() {
        opened.forEach(RedisStore::close);
    }

    private RedisStore store() {
        return store(SharedRedis.PATIENCE);
    }

    private RedisStore store(Duration commandTimeout) {
        RedisStore store = RedisStore.connect(
                redis.uri(),
                SharedRedis.PATIENT.toBuilder()
                        .commandTimeout(commandTimeout)
                        .maxConnections(3)
                        .clientName("shop")
                        .build());
        opened.add(store);
        return store;
    }

    private static ChangesEar listening(RedisStore store, String cache) {
        ChangesEar ear = new ChangesEar();
        KeyCalls.changes(store).watchChanges(cache, List.of(ear));
        ear.awaitListening(1);
        return ear;
    }

    /** All but the beginnings and ends of connections, which tell nothing of a key. */
    private static List<String> changes(ChangesEar ear) {
        return ear.words().stream().filter(word -> word.startsWith("changed")).toList();
    }

    private static void change(RedisStore store, String key) {
        on(store).put(key, LeaseToken.next().toBytes(), LONG);
    }

    @Test
    void aSubscriberThatIsKilledIsDisconnectedAtOnceAndListensAgain() {
        RedisStore store = store();
        ChangesEar products = listening(store, "products");
        ChangesEar prices = listening(store, "prices");
        int cuts = (int) products.count("disconnected");
        for (int round = cuts + 1; round <= cuts + 5; round++) {
            Fleet.until(() -> subscribers() == 1); // the server may still see one that was closed
            assertThat(killSubscribers()).isEqualTo(1);
            products.awaitDisconnected(round);
            prices.awaitDisconnected(round - cuts);
            products.awaitListening(round + 1);
            prices.awaitListening(round - cuts + 1);
        }
        change(store, "products:1");
        change(store, "prices:1");
        products.awaitChanged("products:1");
        prices.awaitChanged("prices:1");
    }

    private long subscribers() {
        return admin.clientList(ClientType.PUBSUB).lines().count();
    }

    private long killSubscribers() {
        return admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
    }

    @Test
    void aServerThatStallsProvesNothingAndDisconnects() {
        RedisStore store = store(Duration.ofSeconds(2));
        ChangesEar ear = listening(store, "products");
        Fleet.until(() -> !ear.proofs().isEmpty());

        redis.server().pause();
        long paused = System.nanoTime(); // not before the server stalls
        ear.awaitDisconnected(1);
        long disconnected = System.nanoTime();
        List<ChangesEar.Proof> proofs = List.copyOf(ear.proofs());
        redis.server().resume();

        assertThat(proofs).allMatch(proof -> proof.nanos() - paused <= 0);
        assertThat(Duration.ofNanos(disconnected - proofs.get(proofs.size() - 1).nanos()))
                .as("from the last ping that was answered; the next one is given two seconds")
                .isGreaterThan(Duration.ofSeconds(2));
        ear.awaitListening(2);
        ear.awaitAll();
        change(store, "products:1");
        ear.awaitChanged("products:1");
    }

    @Test
    void aServerThatWasKilledAndCameBackIsListenedToAgain() {
        RedisStore store = store();
        ChangesEar ear = listening(store, "products");
        redis.server().kill();
        ear.awaitDisconnected(1);
        ChangesEar begunMeanwhile = new ChangesEar();
        KeyCalls.changes(store).watchChanges("prices", List.of(begunMeanwhile));
        assertThatThrownBy(() -> change(store, "products:1")).isInstanceOf(StoreException.class);
        redis.server().restart();

        ear.awaitListening(2);
        begunMeanwhile.awaitListening(1);
        change(store, "products:2");
        ear.awaitChanged("products:2");
        assertThat(begunMeanwhile.words().get(0)).isEqualTo("listening");
    }

    @Test
    void announcementWithoutAValidKeyConcernsItsWholeCacheOnly() {
        RedisStore store = store();
        ChangesEar products = listening(store, "products");
        ChangesEar prices = listening(store, "prices");
        for (String word : List.of("", "*", "{products:1}:lease", "{products:{}", "{products:%41}")) {
            assertThat(admin.publish("{products:}:changes", word)).isEqualTo(1);
        }
        Fleet.until(() -> products.count("changed all") == 5);
        prices.awaitAll();
        assertThat(changes(prices)).isEmpty();
    }

    @Test
    void oneConnectionMoreServesAllCachesAndGoesWithTheLastWatch() {
        RedisStore store = store();
        long others = redis.clients(" name=shop ").count();
        assertThat(redis.clients(" name=shop-changes ").count()).isZero();
        for (int round = 0; round < 3; round++) {
            List<Watch> watches = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ChangesEar ear = new ChangesEar();
                watches.add(KeyCalls.changes(store).watchChanges("cache" + i, List.of(ear)));
                ear.awaitListening(1);
            }
            Fleet.until(() -> redis.clients(" name=shop-changes ").count() == 1);
            assertThat(redis.clients(" name=shop ").count()).isEqualTo(others);
            watches.forEach(Watch::close);
            watches.forEach(Watch::close);
            Fleet.until(() -> redis.clients(" name=shop-changes ").count() == 0);
        }
    }

    @Test
    void aStoreThatIsClosedDisconnectsAndLeavesNothingBehind() {
        OwnThreads threads = new OwnThreads();
        threads.run(() -> {
            RedisStore store = store();
            ChangesEar ear = listening(store, "products");
            assertThat(threads.alive(THREADS)).isNotEmpty();

            store.close();

            List<String> last = List.copyOf(ear.words());
            assertThat(last).startsWith("listening").endsWith("disconnected");
            Fleet.until(() -> redis.clients(" name=shop-changes ").count() == 0);
            Fleet.until(() -> threads.alive(THREADS).isEmpty());
            KeyCalls.changes(store).watchChanges("products", List.of(ear)).close();
            assertThat(threads.alive(THREADS)).isEmpty();
            assertThat(ear.words()).isEqualTo(last);
        });
    }
}
