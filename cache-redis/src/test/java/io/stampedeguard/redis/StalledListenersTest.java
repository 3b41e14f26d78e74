package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClusterClient;

/**
 * One of three masters stalls; listeners to the others still get their notifications. A caller that waits for a
 * timeout, which is ten minutes, hangs.
 */
@Timeout(90)
class StalledListenersTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Far beyond the time limit of a test, so that a call that waits it out does not pass. */
    private static final Duration HANGS = Duration.ofMinutes(10);

    @AutoClose
    private static final StallingCluster cluster = new StallingCluster();

    private final String cache = "heard-" + LeaseToken.next();
    private final List<String> keys = cluster.keys(cache, 1);
    private final String ofStalling =
            keys.stream().filter(cluster::isStalling).findFirst().orElseThrow();

    /** Of the last master, whose slots share no part with the first: such a part is proven only if both answer. */
    private final String ofOther = keys.get(keys.size() - 1);

    private final RedisClusterClient client = cluster.client(HANGS, 8);
    private final RedisClusterClient elsewhere = cluster.client(HANGS, 8);
    private final RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
    private final RedisStore other = RedisStore.using(elsewhere, SharedRedis.WITHOUT_BREAKER);

    @AfterEach
    void close() {
        cluster.goOn();
        store.close();
        other.close();
        client.close();
        elsewhere.close();
    }

    @Test
    void whoWaitsForALeaseOfAnotherIsListeningAtOnce() {
        on(store).readAll(keys);
        on(other).readAll(keys);
        cluster.stall();
        Waiter stalled = new Waiter();
        notifications(store).watch(ofStalling, stalled);

        Waiter waiter = new Waiter();
        notifications(store).watch(ofOther, waiter);

        waiter.awaitListenings(1);
        on(other).invalidate(ofOther);
        waiter.awaitNotices(1);
        assertThat(stalled.listenings()).isZero();
        cluster.goOn();
        stalled.awaitListenings(1);
    }

    @Test
    void changesOfAnotherAreHeardAndProvenAllTheWhile() {
        on(other).readAll(keys);
        List<ChangesEar> ears = IntStream.range(0, changes(store).parts())
                .mapToObj(part -> new ChangesEar())
                .toList();
        Watch watch = changes(store).watchChanges(cache, ears);
        ears.forEach(ear -> ear.awaitListening(1));
        ChangesEar near = ears.get(changes(store).partOf(ofOther));
        ChangesEar unproven = ears.get(changes(store).partOf(ofStalling));
        cluster.stall();

        on(other).put(ofOther, LeaseToken.next().toBytes(), MINUTE);
        near.awaitChanged(ofOther);
        int proofs = near.proofs().size();
        Fleet.until(() -> near.proofs().size() > proofs + 1);
        int last = unproven.proofs().size(); // of a pong that was on its way
        Fleet.until(() -> near.proofs().size() > proofs + 3);

        assertThat(unproven.proofs()).hasSize(last);
        assertThat(near.words()).doesNotContain("disconnected");
        cluster.goOn();
        unproven.awaitAll();
        watch.close();
    }

    /** A new process uses a master that never answers. */
    @Test
    void changesOfAnotherAreHeardThoughTheMasterStoodStillBefore() {
        on(store).readAll(keys);
        cluster.stall();
        List<ChangesEar> ears = IntStream.range(0, changes(store).parts())
                .mapToObj(part -> new ChangesEar())
                .toList();
        changes(store).watchChanges(cache, ears);

        ears.get(changes(store).partOf(ofOther)).awaitListening(1);
        ears.get(changes(store).partOf(ofOther)).awaitAll();

        assertThat(ears.get(changes(store).partOf(ofStalling)).words()).isEmpty();
    }
}
