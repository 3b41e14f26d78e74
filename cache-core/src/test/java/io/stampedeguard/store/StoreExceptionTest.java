package io.stampedeguard.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StoreExceptionTest {
    @Test
    void unsentRequestCostsNeitherAStackTraceNorAMessage() {
        AtomicInteger built = new AtomicInteger();
        Exception open = new IllegalStateException("the circuit breaker is open");
        StoreException unsent =
                StoreException.unsent(() -> "could not read the key, " + built.incrementAndGet() + ". time", open);

        assertThat(unsent.getStackTrace()).isEmpty();
        assertThat(unsent).hasCause(open);
        assertThat(built).hasValue(0);
        assertThat(unsent).hasMessage("could not read the key, 1. time");
    }

    @Test
    void requestUnsentForLackOfAConnectionIsAShortage() {
        StoreException shortage = new StoreException("could not read the key", new IllegalStateException(), true);

        assertThat(StoreException.unsent(() -> "not sent", shortage).isShortage())
                .isTrue();
        assertThat(StoreException.unsent(() -> "not sent", new StoreException("no answer"))
                        .isShortage())
                .isFalse();
    }

    @Test
    void theMessageOfARequestThatWasNotSentIsSerialized() throws Exception {
        StoreException unsent =
                StoreException.unsent(() -> "could not read the key", new IllegalStateException("open"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(unsent);
        }

        StoreException read;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            read = (StoreException) in.readObject();
        }

        assertThat(read).hasMessage("could not read the key").hasRootCauseMessage("open");
        assertThat(read.isUnsent()).isTrue();
    }
}
