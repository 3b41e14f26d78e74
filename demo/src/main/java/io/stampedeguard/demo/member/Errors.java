package io.stampedeguard.demo.member;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Counts errors, in gets and in the background, and keeps the first one for the report. <em>Thread-safe.</em> */
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

    /** Returns the first error; empty if there was none. */
    String first() {
        return first.get();
    }
}
