package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Messages for callers name the property that changes what has happened. */
final class PropertyNamesTest {
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Application.class);
    private final Slow slow = context.getBean(Slow.class);
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @Configuration
    @EnableCaching
    @Import({StampedeCachingConfiguration.class, Slow.class})
    static class Application {
        @Bean
        StampedeCacheManager manager() {
            Consumer<StampedeCacheOptions> narrow = cache -> cache.policy(
                    policy -> policy.waitTimeout(Duration.ofMillis(1)).maxConcurrentLoads(1));
            return StampedeCacheManager.builder(InMemoryStore.create())
                    .cache("narrow", narrow)
                    .cache("user:info", narrow)
                    .cache("budgeted", narrow.andThen(cache -> cache.policy(policy -> policy.originBudget(5))))
                    .cache("failing", cache -> cache.policy(policy -> policy.failureCoolDown(Duration.ofHours(1))))
                    .build();
        }
    }

    /** Methods that do not return before they may. */
    static class Slow {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch mayReturn = new CountDownLatch(1);

        boolean isEntered() {
            return entered.getCount() == 0;
        }

        void mayReturn() {
            mayReturn.countDown();
        }

        private String computed(String key) throws InterruptedException {
            entered.countDown();
            mayReturn.await();
            return key;
        }

        @Cacheable("narrow")
        public String narrow(String key) throws InterruptedException {
            return computed(key);
        }

        @Cacheable("budgeted")
        public String budgeted(String key) throws InterruptedException {
            return computed(key);
        }

        @Cacheable("user:info")
        public String user(String key) throws InterruptedException {
            return computed(key);
        }

        @Cacheable("failing")
        public String failing(String key) throws IOException {
            throw new IOException("no connection for " + key);
        }
    }

    @AfterEach
    void close() {
        slow.mayReturn();
        thread.shutdown();
        context.close();
    }

    private void begins(Call call) {
        Future<String> leader = thread.submit(call::answer);
        Fleet.until(slow::isEntered);
        assertThat(leader).isNotDone();
    }

    private interface Call {
        String answer() throws InterruptedException;
    }

    @Test
    void callerWithoutAPermitLearnsTheMostLoads() {
        begins(() -> slow.narrow("first"));

        assertThatThrownBy(() -> slow.narrow("second"))
                .isInstanceOf(OriginBusyException.class)
                .hasMessage("Cache 'narrow': no computation of second could begin beside 1 others"
                        + " (stampede.caches.narrow.max-concurrent-loads).");
    }

    @Test
    void budgetIsNamedWhereThereIsOne() {
        begins(() -> slow.budgeted("first"));

        assertThatThrownBy(() -> slow.budgeted("second"))
                .isInstanceOf(OriginBusyException.class)
                .hasMessage(
                        "Cache 'budgeted': no computation of second could begin beside 1 others, or within the budget of 5"
                                + " (stampede.caches.budgeted.max-concurrent-loads, .origin-budget).");
    }

    @Test
    void propertyOfANameWithOtherCharactersIsInBrackets() {
        begins(() -> slow.user("key"));

        assertThatThrownBy(() -> slow.user("key"))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessage("Cache 'user:info': another call still computes key; waited 1ms"
                        + " (stampede.caches[user:info].wait-timeout).");
    }

    @Test
    void callerInACoolDownLearnsItsLength() {
        assertThatThrownBy(() -> slow.failing("key")).isInstanceOf(IOException.class);

        assertThatThrownBy(() -> slow.failing("key"))
                .isInstanceOf(RecentLoadFailureException.class)
                .hasMessageStartingWith(
                        "Cache 'failing': the computation of key has just failed with java.io.IOException;")
                .hasMessageEndingWith("(stampede.caches.failing.failure-cool-down).");
    }

    @Test
    void contradictionIsNamedWithTheNameInBrackets() {
        assertThatThrownBy(() -> StampedeCacheManager.builder(InMemoryStore.create())
                        .cache("user:info", cache -> cache.policy(policy -> policy.maxConcurrentLoads(0)))
                        .build())
                .hasMessage("stampede.caches[user:info].max-concurrent-loads 0 is less than 1.");
    }

    @Test
    void lengthsAreWrittenAsInConfigurationFiles() {
        assertThatThrownBy(() -> StampedeCacheManager.builder(InMemoryStore.create())
                        .defaults(cache -> cache.policy(policy -> policy.negativeTtl(Duration.ofMinutes(10))))
                        .build())
                .hasMessage("stampede.defaults.negative-ttl (10m) is longer than 5m.");
    }

    @Test
    void optionsOfACacheAreSetOverTheDefaults() {
        try (StampedeCacheManager manager = StampedeCacheManager.builder(InMemoryStore.create())
                .defaults(cache -> cache.policy(
                        policy -> policy.softTtl(Duration.ofMinutes(2)).jitter(0)))
                .cache("products", cache -> cache.backgroundReload(false).policy(policy -> policy.jitter(0.2)))
                .build()) {
            CachePolicy policy = manager.getCache("products").getNativeCache().policy();

            assertThat(policy.hardTtl()).isEqualTo(policy.softTtl()).isEqualTo(Duration.ofMinutes(2));
            assertThat(policy.jitter()).isEqualTo(0.2);
            assertThat(manager.getCache("others").getNativeCache().policy().jitter())
                    .isZero();
        }
    }
}
