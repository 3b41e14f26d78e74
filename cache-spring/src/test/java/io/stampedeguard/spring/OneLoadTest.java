package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.LoggingCacheErrorHandler;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** One computation serves all callers of an annotated method, whatever its kind, and however it ends. */
final class OneLoadTest {
    private final AnnotationConfigApplicationContext context = Contexts.of(Swallowing.class, Methods.class);
    private final Methods slow = context.getBean(Methods.class);
    private final StampedeCacheManager manager = context.getBean(StampedeCacheManager.class);

    /** Spring would call the method once more after a failure. */
    @Configuration
    static class Swallowing implements CachingConfigurer {
        @Override
        public CacheErrorHandler errorHandler() {
            return new LoggingCacheErrorHandler();
        }
    }

    /** Methods of all kinds. */
    static class Methods extends Slow {
        private String computed(String key) {
            countAndWait();
            if (key.startsWith("fails")) {
                throw new IllegalStateException("no " + key);
            }
            return "value of " + key;
        }

        @Cacheable("plain")
        public String plain(String key) {
            return computed(key);
        }

        @Cacheable(cacheNames = "plain", sync = true)
        public String synchronizedOne(String key) {
            return computed(key);
        }

        @Cacheable(cacheNames = "plain", unless = "#result.startsWith('none')")
        public String unless(String key) {
            return computed(key);
        }

        @Cacheable(cacheNames = "plain", unless = "true")
        public String neverStored(String key) {
            return computed(key);
        }

        @Cacheable("plain")
        public CompletableFuture<String> future(String key) {
            return CompletableFuture.supplyAsync(() -> computed(key), task -> new Thread(task).start());
        }

        @Cacheable("plain")
        public Mono<String> mono(String key) {
            return Mono.fromCallable(() -> computed(key));
        }
    }

    @AfterEach
    void close() {
        slow.mayReturn();
        context.close();
    }

    private List<Future<String>> together(Callable<String> call) {
        return Contexts.together(manager.getCache("plain"), slow, call);
    }

    private void oneLoadServesAll(Callable<String> call) throws Exception {
        for (Future<String> answer : together(call)) {
            assertThat(answer.get()).isEqualTo("value of key");
        }
        assertThat(slow.calls()).isEqualTo(1);
    }

    @Test
    void plainMethod() throws Exception {
        oneLoadServesAll(() -> slow.plain("key"));
    }

    @Test
    void synchronizedMethod() throws Exception {
        oneLoadServesAll(() -> slow.synchronizedOne("key"));
    }

    @Test
    void methodWithUnless() throws Exception {
        oneLoadServesAll(() -> slow.unless("key"));
    }

    @Test
    void methodWhoseResultIsNeverStored() throws Exception {
        oneLoadServesAll(() -> slow.neverStored("key"));
        assertThat(slow.neverStored("key")).isEqualTo("value of key");
        assertThat(slow.calls()).isEqualTo(2);
    }

    @Test
    void methodThatReturnsAFuture() throws Exception {
        oneLoadServesAll(() -> slow.future("key").join());
    }

    @Test
    void methodThatReturnsAMono() throws Exception {
        oneLoadServesAll(() -> slow.mono("key").block());
    }

    private void oneFailureReachesAll(Callable<String> call) {
        List<Throwable> failures = new ArrayList<>();
        for (Future<String> answer : together(call)) {
            assertThatThrownBy(answer::get)
                    .isInstanceOf(ExecutionException.class)
                    .satisfies(thrown -> failures.add(rootOf(thrown)));
        }
        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessage("no fails"));
        assertThat(slow.calls()).isEqualTo(1);
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable at = thrown;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }

    @Test
    void failureOfAPlainMethod() {
        oneFailureReachesAll(() -> slow.plain("fails"));
    }

    @Test
    void failureOfAFuturePassesASwallowingHandlerBy() {
        oneFailureReachesAll(() -> slow.future("fails").join());
    }

    @Test
    void failureOfAMonoPassesASwallowingHandlerBy() {
        oneFailureReachesAll(() -> slow.mono("fails").block());
    }
}
