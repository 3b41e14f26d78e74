package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Reactive methods are computed in the {@code Context} of the subscriber that leads the load. */
final class SubscriberContextTest {
    /** What a key may depend on, and a thread of Reactor does not have. */
    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    private final AnnotationConfigApplicationContext context = Contexts.of(
            manager -> manager.contextCarrier(SubscriberContextTest::carried),
            Others.class,
            Orders.class,
            Contexts.Advice.class);
    private final Orders orders = context.getBean(Orders.class);
    private final Contexts.Advice advice = context.getBean(Contexts.Advice.class);
    private final StampedeCacheManager manager = context.getBean(StampedeCacheManager.class);

    private static UnaryOperator<Runnable> carried() {
        String captured = USER.get();
        return code -> () -> {
            String before = USER.get();
            USER.set(captured);
            try {
                code.run();
            } finally {
                USER.set(before);
            }
        };
    }

    @Configuration
    static class Others {
        @Bean
        CacheManager others() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        KeyGenerator ofUser() {
            return (target, method, arguments) -> USER.get() + arguments[0];
        }
    }

    /** Orders of the tenant that a {@code Context} names, like repositories that ask for a user, or for a transaction. */
    static class Orders extends Slow {
        private Mono<String> ofTenant(long id) {
            return Mono.deferContextual(view -> {
                count();
                return view.hasKey("tenant") ? Mono.just("order " + id + " of " + view.get("tenant")) : Mono.empty();
            });
        }

        @Cacheable("orders")
        public Mono<String> find(long id) {
            return ofTenant(id);
        }

        @Cacheable(cacheNames = "several", sync = true)
        public Flux<String> all(long id) {
            return ofTenant(id).concatWith(ofTenant(id + 1));
        }

        @Cacheable("slow")
        public Mono<String> slow(long id) {
            return Mono.fromFuture(gate()).then(ofTenant(id));
        }

        @Cacheable(cacheNames = "ofUser", keyGenerator = "ofUser")
        public Mono<String> ofUser(long id) {
            return Mono.just("of " + USER.get());
        }

        @Cacheable(cacheNames = "others", cacheManager = "others")
        public Mono<String> ofOthers(long id) {
            count();
            return Mono.just("other");
        }

        /** Reads what its transaction has written, and otherwise what is committed. */
        @Cacheable("rows")
        public Mono<String> row(long id) {
            count();
            return TransactionSynchronizationManager.forCurrentTransaction()
                    .map(transaction -> "uncommitted")
                    .onErrorReturn(NoTransactionException.class, "committed");
        }

        @Cacheable("failing")
        public Mono<String> fail(long id) throws NoSuchFieldException {
            throw new NoSuchFieldException("no " + id);
        }

        @CacheEvict("orders")
        public Mono<String> remove(long id) {
            return ofTenant(id);
        }
    }

    private final TransactionalOperator transaction =
            TransactionalOperator.create(new AbstractReactiveTransactionManager() {
                @Override
                protected Object doGetTransaction(TransactionSynchronizationManager current) {
                    return new Object();
                }

                @Override
                protected Mono<Void> doBegin(
                        TransactionSynchronizationManager current, Object begun, TransactionDefinition definition) {
                    return Mono.empty();
                }

                @Override
                protected Mono<Void> doCommit(
                        TransactionSynchronizationManager current, GenericReactiveTransaction ended) {
                    return Mono.empty();
                }

                @Override
                protected Mono<Void> doRollback(
                        TransactionSynchronizationManager current, GenericReactiveTransaction ended) {
                    return Mono.empty();
                }
            });

    @AfterEach
    void close() {
        orders.mayReturn();
        context.close();
    }

    private static Context tenant(String name) {
        return Context.of("tenant", name);
    }

    @Test
    void monoSeesTheContextOfItsSubscriber() {
        Mono<String> order = orders.find(1);

        assertThat(order.contextWrite(tenant("acme")).block()).isEqualTo("order 1 of acme");
        assertThat(orders.find(1).block()).isEqualTo("order 1 of acme"); // a hit needs none
        assertThat(orders.calls()).isEqualTo(1);
    }

    @Test
    void fluxSeesTheContextOfItsSubscriber() {
        Flux<String> all = orders.all(1).contextWrite(tenant("acme"));

        assertThat(all.collectList().block()).containsExactly("order 1 of acme", "order 2 of acme");
        assertThat(orders.all(1).collectList().block()).containsExactly("order 1 of acme", "order 2 of acme");
        assertThat(orders.calls()).isEqualTo(2);
    }

    @Test
    void oneLoadInTheContextOfItsLeaderServesAll() throws Exception {
        Mono<String> order = orders.slow(1);
        AtomicInteger tenants = new AtomicInteger();
        List<Future<String>> answers = Contexts.together(
                manager.getCache("slow"),
                orders,
                () -> order.contextWrite(tenant("tenant " + tenants.incrementAndGet()))
                        .block());

        String ofLeader = answers.get(0).get();
        assertThat(ofLeader).startsWith("order 1 of tenant ");
        assertThat(answers).allSatisfy(answer -> assertThat(answer.get()).isEqualTo(ofLeader));
        assertThat(orders.calls()).isEqualTo(1);
    }

    @Test
    void subscriptionAsksTheCacheNotTheCall() {
        Mono<String> order = orders.find(1).contextWrite(tenant("acme"));
        assertThat(orders.calls()).isZero();
        order.block();
        manager.typed("orders", Long.class, String.class).invalidate(1L);

        assertThat(order.contextWrite(tenant("acme")).block()).isEqualTo("order 1 of acme");
        assertThat(orders.calls()).isEqualTo(2);
    }

    @Test
    void reloadHasTheContextOfTheSubscriberThatCausedIt() {
        orders.find(1).contextWrite(tenant("acme")).block();
        TypedCache<Long, String> typed = manager.typed("orders", Long.class, String.class);
        typed.expire(1L);

        assertThat(orders.find(1).contextWrite(tenant("other")).block()).isEqualTo("order 1 of acme");
        Fleet.until(() -> "order 1 of other".equals(typed.getIfPresent(1L)));
    }

    @Test
    void adviceInsideTheCacheFindsItsInvocationOnAnyThread() {
        orders.find(1)
                .contextWrite(tenant("acme"))
                .subscribeOn(Schedulers.parallel())
                .block();

        assertThat(advice.seen).containsExactly(1L);
    }

    @Test
    void keyIsEvaluatedInTheContextOfTheCall() {
        USER.set("acme");
        try {
            Mono<String> found = orders.ofUser(1);
            assertThat(found.subscribeOn(Schedulers.parallel()).block()).isEqualTo("of acme");
        } finally {
            USER.remove();
        }

        assertThat(manager.typed("ofUser", String.class, String.class).getIfPresent("acme1"))
                .isEqualTo("of acme");
    }

    @Test
    void otherManagersAreAskedAtTheCall() {
        Mono<String> found = orders.ofOthers(1);

        assertThat(orders.calls()).isEqualTo(1);
        assertThat(found.block()).isEqualTo("other");
    }

    @Test
    void transactionStoresNothingThatIsUncommitted() {
        assertThat(transaction.transactional(orders.row(1)).block()).isEqualTo("uncommitted");
        assertThat(orders.row(1).block()).isEqualTo("committed");

        assertThat(transaction.transactional(orders.row(1)).block()).as("a hit").isEqualTo("committed");
        assertThat(orders.calls()).isEqualTo(2);
    }

    @Test
    void adviceInATransactionFindsItsInvocation() {
        orders.find(1)
                .as(transaction::transactional)
                .contextWrite(tenant("acme"))
                .subscribeOn(Schedulers.parallel())
                .block();

        assertThat(advice.seen).containsExactly(1L);
    }

    @Test
    void reloadIsOutsideOfAnyTransaction() {
        orders.row(1).block();
        TypedCache<Long, String> typed = manager.typed("rows", Long.class, String.class);
        typed.expire(1L);

        assertThat(transaction.transactional(orders.row(1)).block()).isEqualTo("committed");
        assertThat(orders.row(1).block()).isEqualTo("committed");
        Fleet.until(() -> orders.calls() == 2);
        context.close(); // after what is loaded has been stored
        assertThat(orders.calls()).isEqualTo(2);
    }

    @Test
    void methodThatThrowsFailsTheSubscription() {
        Mono<Throwable> failure = failure();

        assertThat(failure.block()).isInstanceOf(NoSuchFieldException.class).hasMessage("no 1");
    }

    private Mono<Throwable> failure() {
        try {
            return orders.fail(1).materialize().map(signal -> signal.getThrowable());
        } catch (NoSuchFieldException e) {
            throw new AssertionError("thrown by the call", e);
        }
    }

    @Test
    void changingMethodSeesTheContextAsBefore() {
        assertThat(orders.remove(1).contextWrite(tenant("acme")).block()).isEqualTo("order 1 of acme");
    }
}
