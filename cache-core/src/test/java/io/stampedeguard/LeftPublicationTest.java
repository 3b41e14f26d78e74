package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers.Call;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * While a process publishes a value, its next loads answer their callers at once, and are published afterwards: {@code own} is held
 * up in its caller's publication, {@code task} in that of the task, so that what comes next waits behind it.
 */
final class LeftPublicationTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().softTtl(ofSeconds(10)).jitter(0).build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final ScriptedStore store = fleet.store();
    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);
    private final CountDownLatch ownIsSent = new CountDownLatch(1);
    private final CountDownLatch taskSends = new CountDownLatch(1);
    private Call<String> own;

    @BeforeEach
    void holdUpTwo() {
        store.before(ScriptedStore.Call.PUBLISH, () -> Fleet.await(ownIsSent));
        own = fleet.get(0, "own");
        until(() -> store.count(ScriptedStore.Call.PUBLISH) == 1);
        store.before(ScriptedStore.Call.PUBLISH, () -> Fleet.await(taskSends));
        assertThat(cache.get("task", fleet.origin()::read)).isEqualTo("one");
        until(() -> store.count(ScriptedStore.Call.PUBLISH) == 2);
    }

    @Test
    void loadsAreAnsweredBeforeTheyArePublishedTogether() throws Exception {
        assertThat(cache.get("a", fleet.origin()::read)).isEqualTo("one");
        assertThat(cache.get("b", fleet.origin()::read)).isEqualTo("one");
        assertThat(on(store).read("fleet:a")).isNull();

        taskSends.countDown();

        until(() -> on(store).read("fleet:a") != null && on(store).read("fleet:b") != null);
        assertThat(store.count(ScriptedStore.Call.PUBLISH_ALL)).isOne();
        ownIsSent.countDown();
        assertThat(own.result()).isEqualTo("one");
        until(() -> fleet.listener().count(EventType.LOAD_STORED) == 4);
        assertThat(cache.getIfPresent("own")).isEqualTo("one");
    }

    @Test
    void whoComesBeforeItIsPublishedIsAnsweredByTheSameLoad() throws Exception {
        cache.get("a", fleet.origin()::read);

        Call<String> follower = fleet.get(0, "a");
        until(() -> cache.explain("a").waiters() == 1);
        Call<String> peer = fleet.get(1, "a");
        taskSends.countDown();

        assertThat(follower.result()).isEqualTo("one");
        assertThat(peer.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(3);
        ownIsSent.countDown();
    }

    @Test
    void changeBeforeItIsPublishedIsHeeded() throws Exception {
        cache.get("a", fleet.origin()::read);
        Call<String> follower = fleet.get(0, "a");
        until(() -> cache.explain("a").waiters() == 1);

        fleet.origin().write("two");
        fleet.cache(1).invalidate("a");
        Call<String> later = fleet.get(0, "a");
        until(() -> cache.explain("a").waiters() == 2);
        taskSends.countDown();

        assertThat(follower.result()).isEqualTo("two");
        assertThat(later.result()).isEqualTo("two");
        ownIsSent.countDown();
    }

    @Test
    void ownChangeBeforeItIsPublishedIsHeeded() {
        cache.get("a", fleet.origin()::read);

        fleet.origin().write("two");
        cache.put("a", "two");
        taskSends.countDown();

        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 1);
        assertThat(cache.getIfPresent("a")).isEqualTo("two");
        ownIsSent.countDown();
    }

    @Test
    void unansweredPublicationKeepsNoFollowerWaiting() throws Exception {
        cache.get("a", fleet.origin()::read);
        Call<String> follower = fleet.get(0, "a");
        until(() -> cache.explain("a").waiters() == 1);
        store.refuse(ScriptedStore.Call.PUBLISH);

        taskSends.countDown();

        assertThat(follower.result()).isEqualTo("one");
        store.heal();
        ownIsSent.countDown();
    }

    @Test
    void closeWaitsForWhatIsLeft() throws Exception {
        cache.get("a", fleet.origin()::read);

        Call<Boolean> closing = fleet.closing(0);
        ownIsSent.countDown();
        own.result();
        assertThat(closing.isOver()).isFalse();
        taskSends.countDown();

        assertThat(closing.result()).isTrue();
        assertThat(on(store).read("fleet:a")).isNotNull();
    }

    @Test
    void refreshedValueIsWhatItsCallerReadsNext() throws Exception {
        fleet.cache(1).put("a", "one");
        fleet.origin().write("two");

        Call<List<String>> read = fleet.callers().call(() -> {
            String refreshed = cache.refresh("a", fleet.origin()::read).get();
            return List.of(refreshed, cache.get("a", fleet.origin()::read));
        });
        assertThat(read.result()).containsExactly("two", "two");
        taskSends.countDown();
        ownIsSent.countDown();
    }

    @Test
    void valueNotOlderThanThatIsNotFollowedByAnOlderOne() throws Exception {
        fleet.cache(1).put("a", "one");
        fleet.origin().write("two");
        fleet.advance(ofSeconds(2));

        Call<List<String>> read = fleet.callers().call(() -> {
            String fresh = cache.getNotOlderThan("a", ofSeconds(1), fleet.origin()::read);
            return List.of(fresh, cache.get("a", fleet.origin()::read));
        });
        assertThat(read.result()).containsExactly("two", "two");
        taskSends.countDown();
        ownIsSent.countDown();
    }

    @Test
    void loadsOfOneKeyInOneBatchArePublishedInTheirOrder() {
        for (String value : List.of("two", "three", "four")) {
            fleet.origin().write(value);
            cache.invalidate("a");
            assertThat(cache.get("a", fleet.origin()::read)).isEqualTo(value);
        }

        taskSends.countDown();

        until(() -> fleet.listener().count(EventType.LOAD_FENCED) == 2);
        until(() -> "four".equals(cache.getIfPresent("a")));
        ownIsSent.countDown();
    }
}
