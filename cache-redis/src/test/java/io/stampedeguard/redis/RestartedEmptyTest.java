package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** A real server that is killed and comes back empty: near copies answer meanwhile, and each key is loaded once in the background. */
final class RestartedEmptyTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int MOST_LOADS = 4;
    private static final int MOST_IN_BACKGROUND = MOST_LOADS / 2;

    private final RedisProcess redis = RedisServer.startProcess();
    private final Origin origin = new Origin("one");
    private final Map<String, AtomicInteger> loads = new ConcurrentHashMap<>();
    private final List<Member> members = List.of(new Member(), new Member());

    /** A process, whose near cache answers for longer than a busy machine takes. */
    private final class Member implements CacheListener, AutoCloseable {
        private final AtomicInteger nearAnswers = new AtomicInteger();
        private final AtomicInteger gaps = new AtomicInteger();
        private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
        private final StampedeGuardedCache<String, String> cache = textCache("restarted", store)
                .policy(CachePolicy.builder()
                        .softTtl(LONG)
                        .earlyRefresh(0)
                        .leaseTtl(Duration.ofSeconds(30)) // a stalled test does not lose it
                        .loadTimeout(LONG)
                        .waitTimeout(Duration.ofMinutes(1))
                        .maxConcurrentLoads(MOST_LOADS)
                        .originGuard(false) // a load that the test holds back is not slow
                        .build())
                .nearCache(NearCacheOptions.builder()
                        .maximumSize(1_000)
                        .maxStaleness(Duration.ofHours(1))
                        .build())
                .listener(this)
                .build();

        @Override
        public void onRead(String name, AnswerSource source) {
            if (source == AnswerSource.NEAR) {
                nearAnswers.incrementAndGet();
            }
        }

        @Override
        public void onEvent(String name, CacheEvent event) {
            if (event == EventType.NEAR_GAP) {
                gaps.incrementAndGet();
            }
        }

        private String get(String key) {
            return cache.get(key, RestartedEmptyTest.this::load);
        }

        /** Waits until the near cache answers: only then is it told of changes. */
        private void awaitNear() {
            Fleet.until(() -> {
                get("near");
                return nearAnswers.get() > 0;
            });
        }

        @Override
        public void close() {
            cache.close();
            store.close();
        }
    }

    private String load(String key) throws Exception {
        loads.computeIfAbsent(key, each -> new AtomicInteger()).incrementAndGet();
        return origin.read(key);
    }

    @AfterEach
    void close() {
        origin.open();
        members.forEach(Member::close);
        redis.close();
    }

    /** Each process has a read without an answer meanwhile. */
    private void restart() {
        redis.kill();
        Fleet.until(() -> members.stream().allMatch(member -> member.gaps.get() > 0));
        members.forEach(member -> member.cache.getIfPresent("unanswered"));
        redis.restart();
    }

    @Test
    void noCallerWithACopyWaitsAndEachKeyIsLoadedOnce() {
        List<String> keys = IntStream.range(0, 50).mapToObj(i -> "k" + i).toList();
        members.forEach(Member::awaitNear);
        members.forEach(member -> keys.forEach(member::get));
        origin.write("two");
        restart();
        origin.close();

        for (Member member : members) {
            for (String key : keys) {
                assertThat(member.get(key)).as("no load ends meanwhile").isEqualTo("one");
            }
        }
        int mostAtOnce = members.size() * MOST_IN_BACKGROUND;
        Fleet.until(() -> origin.running() == mostAtOnce);
        origin.open();

        for (Member member : members) {
            for (String key : keys) {
                Fleet.until(() -> member.get(key).equals("two"));
            }
        }
        assertThat(keys).allSatisfy(key -> assertThat(loads.get(key)).hasValue(2));
        assertThat(origin.mostAtOnce()).isEqualTo(mostAtOnce);
    }

    @Test
    void aChangeAfterTheRestartIsNotUndone() {
        members.forEach(Member::awaitNear);
        members.get(0).get("k");
        origin.write("two");
        restart();

        members.get(1).cache.invalidate("k");

        assertThat(members.get(1).get("k")).isEqualTo("two");
        assertThat(members.get(0).get("k")).as("Redis has it").isEqualTo("two");
    }

    @Test
    void aChangeThatReturnedJustBeforeTheServerDiedIsNotUndone() {
        members.forEach(Member::awaitNear);
        members.get(0).get("k");
        origin.write("two");
        members.get(1).cache.invalidate("k");
        restart();

        Fleet.until(() -> members.get(0).get("k").equals("two"));

        assertThat(members.get(1).get("k")).isEqualTo("two");
    }

    @Test
    void withoutAnOutageAbsenceEndsACopy() {
        members.forEach(Member::awaitNear);
        members.get(0).get("k");
        origin.write("two");
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.flushAll();
            admin.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "pubsub");
        }
        Fleet.until(() -> members.get(0).gaps.get() > 0);

        assertThat(members.get(0).get("k")).isEqualTo("two");
    }
}
