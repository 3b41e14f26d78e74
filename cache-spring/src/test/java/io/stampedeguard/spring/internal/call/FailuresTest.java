package io.stampedeguard.spring.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What callers learn if the other callers are not the reason. */
final class FailuresTest {
    private final Failures failures = new Failures("products", CachePolicy.defaults(), new AtomicLong());

    @Test
    void lackOfAConnectionIsNoOtherCall() {
        WaitTimeoutException thrown = WaitTimeoutException.ofStore(
                "no connection to the store became free to read or load 'products:7'",
                new IllegalStateException("pool"));

        assertThat(failures.translated(thrown, 7))
                .isInstanceOf(WaitTimeoutException.class)
                .hasCause(thrown)
                .hasMessage("Cache 'products': no answer for 7; waited 10s (stampede.caches.products.wait-timeout)."
                        + " Reason: no connection to the store became free to read or load 'products:7'");
    }

    @Test
    void storeThatDoesNotAnswerIsNoOtherCall() {
        WaitTimeoutException thrown =
                WaitTimeoutException.ofStore("the store did not answer the read of 'products:7'", null);

        assertThat(failures.ofFuture(new CompletionException(thrown), 7))
                .isInstanceOf(WaitTimeoutException.class)
                .hasMessage("Cache 'products': no answer for 7; waited 10s (stampede.caches.products.wait-timeout)."
                        + " Reason: the store did not answer the read of 'products:7'");
    }

    @Test
    void lackOfAThreadNamesNoProperty() {
        OriginBusyException thrown = new OriginBusyException("no thread became free to read or load 'products:7'");

        assertThat(failures.ofFuture(thrown, 7))
                .isInstanceOf(OriginBusyException.class)
                .hasMessage(
                        "Cache 'products': no computation of 7 could begin. Reason: no thread became free to read or load"
                                + " 'products:7'");
    }

    /** What the core says of a key for which a call with many keys had no time left. */
    @Test
    void keyThatAnotherCallerLoadsIsThatOfAnotherCall() {
        WaitTimeoutException thrown = new WaitTimeoutException(
                "'products:7' was being loaded by another caller, and this call had no time left");

        assertThat(failures.translated(thrown, 7))
                .hasMessage("Cache 'products': another call still computes 7; waited 10s"
                        + " (stampede.caches.products.wait-timeout).");
    }
}
