package io.stampedeguard.demo.member;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Counts what goes wrong, in a get or behind it, and keeps the first for the record. <em>Thread-safe.</em> */
final class Errors {
    private final AtomicLong count = new AtomicLong();
    private final AtomicReference<String> first = new AtomicReference<>("");

    void add(Throwable error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        first.compareAndSet("", cause.getClass().getSimpleName() + ": " + cause.getMessage());
        count.incrementAndGet();
    }

    long count() {
        return count.get();
    }

    /** Returns the first, or nothing. */
    String first() {
        return first.get();
    }
}
