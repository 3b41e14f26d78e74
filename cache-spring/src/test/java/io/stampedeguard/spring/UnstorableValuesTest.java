package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stampedeguard.CapturedLog;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.store.InMemoryStore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** A put whose value cannot be stored, or is too large, removes the older value, and its caller gets the new one. */
final class UnstorableValuesTest {
    /** Cannot be written as JSON. */
    static final class Node {
        public final Node self = this;
    }

    record Moody(@JsonIgnore String reason) {
        @JsonProperty
        public String mood() {
            throw new IllegalStateException(reason);
        }
    }

    static final class Unwritable {
        public final Unwritable self = this;
    }

    static class Things {
        @Cacheable("things")
        public Object find(long id) {
            return "old";
        }

        @CachePut(cacheNames = "things", key = "#id")
        public Object replace(long id, Object value) {
            return value;
        }

        @Cacheable("moody")
        public Moody moody(long id) {
            return new Moody("reason " + id);
        }

        @Cacheable("unwritables")
        public Unwritable unwritable(long id) {
            return new Unwritable();
        }

        @CachePut(cacheNames = "unwritables", key = "#id")
        public Unwritable putUnwritable(long id, Unwritable value) {
            return value;
        }

        @Caching(
                cacheable = @Cacheable(cacheNames = "things", key = "#id"),
                evict = @CacheEvict(cacheNames = "others", key = "#id"))
        public Object findBesideEvict(long id, Object value) {
            return value;
        }
    }

    /** A transaction of nothing. */
    private static final class Empty extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    private final AtomicInteger faults = new AtomicInteger();
    private final AnnotationConfigApplicationContext context = Contexts.of(
            manager -> manager.defaults(cache -> cache.policy(policy -> policy.maxPayloadBytes(1_000)))
                    .configure(cache -> cache.listener(faultsOf("unwritables"))),
            Things.class);
    private final Things things = context.getBean(Things.class);
    private final StampedeCache cache =
            context.getBean(StampedeCacheManager.class).getCache("things");

    private CacheListener faultsOf(String watched) {
        return new CacheListener() {
            @Override
            public void onEvent(String cache, CacheEvent event) {
                if (cache.equals(watched) && event instanceof CacheEvent.Fault) {
                    faults.incrementAndGet();
                }
            }
        };
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void putOfAValueThatCannotBeStoredRemovesTheOldOne() {
        Node node = new Node();
        things.find(1);
        assertThat(things.replace(1, node)).isSameAs(node);
        assertThat(cache.get(1L)).isNull();

        things.find(1);
        new TransactionTemplate(new Empty())
                .executeWithoutResult(
                        status -> assertThat(things.replace(1, node)).isSameAs(node));
        assertThat(cache.get(1L)).isNull();
        assertThat(things.findBesideEvict(1, node)).isSameAs(node);

        cache.put(1L, "old");
        cache.put(1L, node);
        assertThat(cache.get(1L)).isNull();
    }

    @Test
    void tooLargePutRemovesTheOldValueAndIsLoggedOnce() {
        String large = "x".repeat(2_000);
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 2; i++) {
                things.find(1);
                assertThat(things.replace(1, large)).isSameAs(large);
                assertThat(cache.get(1L)).isNull();
            }
            assertThat(log.text().lines().filter(line -> line.contains("and its key is removed")))
                    .singleElement()
                    .asString()
                    .contains(
                            "Cache 'things': what Things.replace puts is not stored",
                            "the value of 'things:1' is too large",
                            "more than the maxPayloadBytes 1000");
        }
    }

    @Test
    void anotherReasonWhyAValueCannotBeStoredIsLoggedToo() {
        try (CapturedLog log = new CapturedLog()) {
            things.moody(1);
            assertThat(log.warningsOf("moody")).isEmpty();

            things.moody(2);

            assertThat(log.warningsOf("moody")).singleElement().asString().contains("moody:2");
        }
    }

    @Test
    void typeThatCannotBeStoredIsLoggedOnceAndCounted() {
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 2; i++) {
                things.unwritable(i);
                things.putUnwritable(i, new Unwritable());
            }
            assertThat(log.warningsWith("Unwritable"))
                    .singleElement()
                    .asString()
                    .contains("Values of Unwritable (Things.unwritable) cannot be written as JSON: ")
                    .endsWith("They are not stored.");
            assertThat(log.warningsOf("unwritables")).isEmpty();
        }
        assertThat(faults).hasValue(2);
    }

    @Test
    void valueOfAnotherTypeThanRequestedIsNamed() {
        cache.put(1L, "text");
        assertThat(cache.get(1L, String.class)).isEqualTo("text");
        assertThatIllegalStateException()
                .isThrownBy(() -> cache.get(1L, Integer.class))
                .withMessage("cache 'things' has a java.lang.String for this key, not a java.lang.Integer");
        assertThat(cache.get(2L, Integer.class)).isNull();
        cache.put(3L, null);
        assertThat(cache.get(3L, Integer.class)).isNull();
    }

    @Test
    void exceptionOfTheApplicationsOwnSettingsIsItsOwn() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StampedeCacheManager.builder(InMemoryStore.create())
                        .cache("things", options -> {
                            throw new IllegalArgumentException("no such region");
                        })
                        .build())
                .withMessage("no such region");
    }
}
