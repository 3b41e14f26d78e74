package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.RedisClusterClient;

/**
 * {@code invalidateAll} and {@code invalidateTag} where entries, the generation, and the marks are on different masters: other
 * processes follow soon.
 */
@Tag("topology")
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class ClearOnClusterTest extends TwoProcesses {
    @AutoClose
    private static final RedisClusterClient firstClient = Topologies.client(SharedCluster.get());

    @AutoClose
    private static final RedisClusterClient secondClient = Topologies.client(SharedCluster.get());

    @AutoClose
    private static final RedisStore first = RedisStore.using(firstClient, SharedRedis.WITHOUT_BREAKER);

    @AutoClose
    private static final RedisStore second = RedisStore.using(secondClient, SharedRedis.WITHOUT_BREAKER);

    ClearOnClusterTest() {
        super(first, second, CachePolicy.builder().build());
    }

    @Test
    void itsOwnProcessSeesItAtOnceAndOthersFollow() {
        List<String> keys = IntStream.range(0, 20).mapToObj(i -> "k" + i).toList();
        assertThat(CallForm.GET_ALL.ask(a, keys, key -> "old").values()).containsOnly("old");
        assertThat(CallForm.GET_ALL.ask(b, keys, key -> "unused").values()).containsOnly("old");

        a.invalidateAll();

        assertThat(a.getIfPresent("k0")).isNull();
        Fleet.until(() -> b.getIfPresent("k1") == null);
        assertThat(CallForm.GET_ALL.ask(b, keys, key -> "new").values()).containsOnly("new");
        assertThat(CallForm.GET.ask(a, keys, key -> "unused").values()).containsOnly("new");
    }

    @Test
    void copiesReadBeforeAProcessKnowsOfItDoNotStay() {
        try (StampedeGuardedCache<String, String> near = nearCache(second)) {
            a.put("k", "old");
            assertThat(near.getIfPresent("k")).isEqualTo("old");

            a.invalidateAll();

            Fleet.until(() -> near.getIfPresent("k") == null); // each read may keep a copy, also behind the message
        }
    }

    @Test
    void resultOfALoadFromBeforeAnswersNobodyWhoComesLater() throws Exception {
        Callers.Call<String> old = loadingOld();

        b.invalidateAll();
        origin.open();

        assertThat(old.result()).isEqualTo("old");
        assertThat(b.get("k", key -> "new")).isEqualTo("new");
        Fleet.until(() -> "new".equals(a.getIfPresent("k")));
    }

    @Test
    void putBoundToALookUpFromBeforeBringsNothingBack() {
        LookupResult.Fence ofNothing = a.lookup("nothing").fence();
        LookupResult.Fence ofOther = b.lookup("other").fence();
        a.put("k", "row");
        LookupResult.Fence ofValue = a.lookup("k").fence();
        LookupResult.Fence ofOtherValue = b.lookup("k").fence();

        a.invalidateAll();

        assertThat(a.put("nothing", "late", ofNothing)).isFalse();
        assertThat(a.put("k", "late", ofValue)).isFalse();
        b.put("other", "late", ofOther); // it may not know yet
        b.put("k", "late", ofOtherValue);
        assertThat(a.getIfPresent("other")).isNull();
        assertThat(a.getIfPresent("k")).isNull();
        assertThat(a.put("nothing", "new", a.lookup("nothing").fence())).isTrue();
        assertThat(a.getIfPresent("nothing")).isEqualTo("new");
    }

    @Test
    void expiredEntriesAreStaleInOtherProcessesSoon() {
        a.put("k", "old");
        assertThat(b.getIfPresent("k")).isEqualTo("old");

        a.expireAll();

        Fleet.until(() -> "new".equals(b.get("k", key -> "new")));
    }

    private static Loader<String, String> tagged(String value) {
        return Loader.adaptive((key, previous) -> LoadedValue.of(value).tags("a"));
    }

    @Test
    void tagChangeHoldsAtOnceInItsProcessAndSoonElsewhere() {
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
    void valueLoadedBeforeItsTagChangesAnswersNoLaterCaller() throws Exception {
        Callers.Call<String> old = loadingOld("a");

        b.invalidateTag("a");
        origin.open();

        assertThat(old.result()).isEqualTo("old");
        assertThat(b.get("k", tagged("new"))).isEqualTo("new");
        Fleet.until(() -> "new".equals(a.get("k", tagged("new"))));
    }

    @Test
    void entriesWithAnExpiredTagAreStaleInOtherProcessesSoon() {
        a.put("k", LoadedValue.of("old").tags("a"));
        assertThat(b.getIfPresent("k")).isEqualTo("old");

        a.expireTag("a");

        Fleet.until(() -> "new".equals(b.get("k", tagged("new"))));
    }

    @Test
    void refusedOneHoldsInItsProcessWhileReadsAndLeasesGoOn() {
        String generation = "{" + name + ":}:gen";
        permit("%R~" + generation);
        try (RedisStore restricted = RedisStore.connect(uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> c = cache(restricted)) {
            a.put("k", "old");
            a.put("k2", "old");
            assertThat(c.getIfPresent("k")).isEqualTo("old");

            c.invalidateAll();

            assertThat(c.getIfPresent("k")).isNull();
            assertThat(c.get("k", key -> "new")).isEqualTo("new");
            assertThat(c.get("k", key -> "not loaded")).isEqualTo("new");
            assertThat(a.getIfPresent("k")).as("it is stored").isEqualTo("new");

            permit("~" + generation);
            Fleet.until(() -> a.getIfPresent("k2") == null);
            assertThat(a.getIfPresent("k")).as("loaded since").isEqualTo("new");
        } finally {
            endPermissions();
        }
    }

    @Test
    void userWithoutRightsOnTheGenerationIsWarned() throws Exception {
        permit("~nothing");
        try {
            LogLines log = LogLines.of(() -> {
                try (RedisStore restricted = RedisStore.connect(uri(), SharedRedis.PATIENT);
                        StampedeGuardedCache<String, String> c = cache(restricted)) {
                    assertThat(c.get("k", key -> "row")).isEqualTo("row");
                    LogLines.await("may not read or write {" + name + ":}:gen");
                }
            });
            assertThat(log.only(":gen")).endsWith("permit ~{" + name + ":}:gen");
        } finally {
            endPermissions();
        }
    }

    /** Gives a user all rights on the keys of the cache that begin with a k, and one more. */
    private void permit(String onGeneration) {
        String[] rights = {"reset", "on", ">geheim", "+@all", "&*", "~{" + name + ":k*", onGeneration};
        SharedCluster.get().nodes().forEach(node -> Topologies.ask(node, admin -> admin.aclSetUser(name, rights)));
    }

    private void endPermissions() {
        SharedCluster.get().nodes().forEach(node -> Topologies.ask(node, admin -> admin.aclDelUser(name)));
    }

    private String uri() {
        return Topologies.uri(SharedCluster.get()).replace("//", "//" + name + ":geheim@");
    }

    @Test
    void whateverAnotherProgramStoresAsTheGenerationDoesNoLastingHarm() {
        String generation = "{" + name + ":}:gen";
        a.invalidateAll();
        firstClient.del(generation);
        firstClient.sadd(generation, "text");
        Fleet.until(() -> "string".equals(firstClient.type(generation)));

        firstClient.set(generation, "1 9000000000000 0");
        Fleet.until(() -> {
            a.put("k", "row");
            return "row".equals(b.getIfPresent("k"));
        });
    }

    @Test
    void nameOfACacheIsInTheGroupOfItsGeneration() {
        for (int i = 0; i < 20; i++) {
            assertThat(first.shared().groups(List.of(name + i, name + i + ":"))).hasSize(1);
        }
    }
}
