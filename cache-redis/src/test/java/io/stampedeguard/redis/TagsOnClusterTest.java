package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.RedisClusterClient;

/** {@code invalidateTag} where entries and the marks are on different masters: other processes follow soon. */
@Tag("topology")
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class TagsOnClusterTest extends TwoProcesses {
    @AutoClose
    private static final RedisClusterClient firstClient = Topologies.client(SharedCluster.get());

    @AutoClose
    private static final RedisClusterClient secondClient = Topologies.client(SharedCluster.get());

    @AutoClose
    private static final RedisStore first = RedisStore.using(firstClient, SharedRedis.WITHOUT_BREAKER);

    @AutoClose
    private static final RedisStore second = RedisStore.using(secondClient, SharedRedis.WITHOUT_BREAKER);

    TagsOnClusterTest() {
        super(first, second, CachePolicy.builder().build());
    }

    private static Loader<String, String> of(String value) {
        return Loader.adaptive((key, previous) -> LoadedValue.of(value).tags("a"));
    }

    @Test
    void itsOwnProcessSeesItAtOnceAndOthersFollow() {
        for (int i = 0; i < 20; i++) {
            a.put("k" + i, LoadedValue.of("old").tags("a"));
            a.put("other" + i, LoadedValue.of("old").tags("b"));
        }

        a.invalidateTag("a");

        for (int i = 0; i < 20; i++) {
            String key = "k" + i;
            assertThat(a.getIfPresent(key)).isNull();
            Fleet.until(() -> b.getIfPresent(key) == null);
            assertThat(b.getIfPresent("other" + i)).isEqualTo("old");
        }
    }

    @Test
    void resultOfALoadFromBeforeAnswersNobodyWhoComesLater() throws Exception {
        Callers.Call<String> old = loadingOld("a");

        b.invalidateTag("a");
        origin.open();

        assertThat(old.result()).isEqualTo("old");
        assertThat(b.get("k", of("new"))).isEqualTo("new");
        Fleet.until(() -> "new".equals(a.get("k", of("new"))));
    }

    @Test
    void expiredEntriesAreStaleInOtherProcessesSoon() {
        a.put("k", LoadedValue.of("old").tags("a"));
        assertThat(b.getIfPresent("k")).isEqualTo("old");

        a.expireTag("a");

        Fleet.until(() -> "new".equals(b.get("k", of("new"))));
    }
}
