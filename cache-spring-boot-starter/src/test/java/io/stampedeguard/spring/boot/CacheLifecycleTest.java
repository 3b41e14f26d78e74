package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.spring.boot.Contexts.Products;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

/** How the caches of an application end. */
final class CacheLifecycleTest {
    /** One for each task: each waits for the other. */
    private final Executor threads = task -> new Thread(task).start();

    private final List<String> order = new CopyOnWriteArrayList<>();

    @Test
    void phaseIsAfterWebServersAndBeforeConnections() {
        assertThat(CacheLifecycle.PHASE)
                .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                .isPositive();
    }

    /** The origin is a bean, whose end comes after all phases, as that of a data source. */
    @Test
    void runningLoadIsStoredBeforeItsOriginCloses() {
        InMemoryStore store = InMemoryStore.create();
        Contexts.onRedis()
                .withBean(CacheStore.class, () -> store)
                .withBean(Origin.class, () -> new Origin(order))
                .withBean(Reports.class)
                .withBean(WebServer.class, () -> new WebServer(order))
                .run(context -> {
                    Reports reports = context.getBean(Reports.class);
                    Origin origin = context.getBean(Origin.class);
                    CompletableFuture<String> running = CompletableFuture.supplyAsync(reports::report, threads);
                    origin.begun.await();
                    CompletableFuture<Void> closing =
                            CompletableFuture.runAsync(context.getSourceApplicationContext()::close, threads);
                    context.getBean(WebServer.class).stopped.await();
                    origin.answer.countDown();
                    closing.join();
                    assertThat(running.join()).isEqualTo("report");
                    assertThat(order).containsExactly("web server stops", "origin answers", "origin closes");
                });
        Contexts.onRedis()
                .withBean(CacheStore.class, () -> store)
                .withBean(Origin.class, () -> new Origin(order))
                .withBean(Reports.class)
                .run(context -> {
                    order.clear();
                    assertThat(context.getBean(Reports.class).report()).isEqualTo("report");
                    assertThat(order)
                            .as("what the former application has stored")
                            .isEmpty();
                });
    }

    @Test
    void cachesOfAStoppedContextWorkOnceItIsStartedAgain() {
        Contexts.inMemory().withBean(Products.class).run(context -> {
            Products products = context.getBean(Products.class);
            products.find(1);
            ConfigurableApplicationContext source = context.getSourceApplicationContext();
            source.stop();
            source.start();
            products.find(1);
            assertThat(products.calls()).isEqualTo(1);
        });
    }

    @Test
    void cachesOfAContextThatWasStoppedCloseWithIt() {
        Contexts.inMemory().run(context -> {
            StampedeCacheManager manager = context.getBean(StampedeCacheManager.class);
            ConfigurableApplicationContext source = context.getSourceApplicationContext();
            source.stop();
            source.close();

            assertThatIllegalStateException().isThrownBy(() -> manager.getCache("new"));
        });
    }

    /** Spring would wait for the same close on its own thread, with no limit. */
    @Test
    void onlyTheLifecycleClosesTheCaches() {
        Contexts.inMemory().run(context -> {
            ConfigurableListableBeanFactory beans =
                    context.getSourceApplicationContext().getBeanFactory();
            StampedeCacheManager manager = context.getBean(StampedeCacheManager.class);
            beans.destroyBean("cacheManager", manager);

            assertThat(manager.getCache("new")).isNotNull();
        });
    }

    @Test
    void closeThatGoesOnDoesNotHoldUpTheContext() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            CacheLifecycle lifecycle =
                    new CacheLifecycle(context, () -> awaitUninterruptibly(end), Duration.ofMillis(1));
            lifecycle.onApplicationEvent(new ContextClosedEvent(context));
            lifecycle.stop(ended::countDown);
            lifecycle.destroy();

            assertThat(ended.getCount()).isOne();
        } finally {
            end.countDown();
        }
        ended.await();
    }

    /** As a method that swallows the interrupt. */
    private static void awaitUninterruptibly(CountDownLatch end) {
        boolean isInterrupted;
        do {
            try {
                end.await();
                isInterrupted = false;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        } while (isInterrupted);
    }

    /** What a data source is to the methods of an application. */
    static final class Origin implements AutoCloseable {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch answer = new CountDownLatch(1);
        private final List<String> order;

        Origin(List<String> order) {
            this.order = order;
        }

        String query() {
            begun.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            order.add("origin answers");
            return "report";
        }

        @Override
        public void close() {
            order.add("origin closes");
        }
    }

    static class Reports {
        private final Origin origin;

        Reports(Origin origin) {
            this.origin = origin;
        }

        @Cacheable("reports")
        public String report() {
            return origin.query();
        }
    }

    static final class WebServer implements SmartLifecycle {
        final CountDownLatch stopped = new CountDownLatch(1);
        private final List<String> order;
        private boolean isRunning;

        WebServer(List<String> order) {
            this.order = order;
        }

        @Override
        public int getPhase() {
            return WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE;
        }

        @Override
        public void start() {
            isRunning = true;
        }

        @Override
        public void stop() {
            order.add("web server stops");
            isRunning = false;
            stopped.countDown();
        }

        @Override
        public boolean isRunning() {
            return isRunning;
        }
    }
}
