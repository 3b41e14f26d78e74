package io.stampedeguard.internal.storage;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.observe.ListenerList;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class ObservedStoreTest {
    private final VirtualTime time = new VirtualTime();
    private final ScriptedStore scripted = new ScriptedStore(InMemoryStore.create(time)).breaking();

    @AutoClose
    private final BackgroundTasks tasks = new BackgroundTasks("c", "changes", time);

    private final ObservedStore store = new ObservedStore(
            new CacheContext(
                    "c",
                    CachePolicy.defaults(),
                    time,
                    new CacheEvents("c", ListenerList.of(List.of()), time),
                    new HotKeys("c", time)),
            scripted,
            tasks);

    @Test
    void storeIsNotDownAfterOneUnansweredSharedExchange() {
        IOException one = new IOException("no reply to the batch");

        fail(new StoreException("could not read a", one));
        fail(new StoreException("could not read b", one));
        assertThat(store.isDown()).isFalse();

        fail(new StoreException("could not read c", new IOException("no reply to another one")));
        assertThat(store.isDown()).isTrue();
    }

    @Test
    void refusalsCountThoughTheyShareTheirCause() {
        IOException open = new IOException("the circuit breaker is open");

        fail(StoreException.unsent(() -> "could not read a", open));
        fail(StoreException.unsent(() -> "could not read b", open));

        assertThat(store.isDown()).isTrue();
    }

    @Test
    void refusalsCountWithoutARead() {
        StoreException open =
                StoreException.unsent(() -> "could not read k", new IOException("the circuit breaker is open"));
        scripted.open(open);

        assertThat(store.refusal("k")).isSameAs(open);
        assertThat(store.isDown()).isFalse();
        assertThat(store.refusal("k")).isSameAs(open);
        assertThat(store.isDown()).isTrue();
        assertThat(scripted.count(Call.READ)).isZero();
    }

    @Test
    void anAnswerEndsTheCount() {
        IOException one = new IOException("no reply to the batch");
        fail(new StoreException("could not read a", one));

        on(store).read("b");

        fail(new StoreException("could not read a", one));
        assertThat(store.isDown()).isFalse();
    }

    private void fail(StoreException with) {
        scripted.before(Call.READ, () -> {
            throw with;
        });
        assertThatThrownBy(() -> on(store).read("k")).isSameAs(with);
    }
}
