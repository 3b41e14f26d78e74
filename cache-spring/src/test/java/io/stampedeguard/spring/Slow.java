package io.stampedeguard.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A bean whose calls are counted; those of its slow methods do not return before they may. <em>Thread-safe.</em> */
class Slow {
    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<Void> gate = new CompletableFuture<>();

    /** Returns how many calls there were. */
    int calls() {
        return calls.get();
    }

    /** Lets calls return, from now on. */
    void mayReturn() {
        gate.complete(null);
    }

    /** Counts a call; returns how many there were, with this one. */
    int count() {
        return calls.incrementAndGet();
    }

    /** Counts a call, and waits until it may return. */
    void countAndWait() {
        count();
        gate.join();
    }

    /** Returns a future that ends when calls may return. */
    CompletableFuture<Void> gate() {
        return gate.copy();
    }
}
