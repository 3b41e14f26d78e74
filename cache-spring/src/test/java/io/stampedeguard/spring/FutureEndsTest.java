package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.store.InMemoryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A future ends, whatever code of the application throws on the way. */
final class FutureEndsTest {
    /** A key that no message can show. */
    private static final class Unshowable {
        @Override
        public String toString() {
            throw new UnsupportedOperationException("no text");
        }
    }

    @AutoClose
    private final StampedeCacheManager manager = StampedeCacheManager.builder(InMemoryStore.create())
            .defaults(cache -> cache.policy(policy -> policy.failureCoolDown(Duration.ofMinutes(1))))
            .keyConverters(List.of(StampedeKeyConverter.of(Unshowable.class, key -> "key")))
            .build();

    private Object value() throws Exception {
        return manager.getCache("values")
                .retrieve(new Unshowable(), () -> CompletableFuture.failedFuture(new IOException("unreachable")))
                .get(1, TimeUnit.MINUTES);
    }

    @Test
    void failureWhoseMessageFailsEndsTheFuture() {
        assertThatThrownBy(this::value).hasRootCauseInstanceOf(IOException.class);
        assertThatThrownBy(this::value).as("cools down").hasRootCauseInstanceOf(UnsupportedOperationException.class);
    }
}
