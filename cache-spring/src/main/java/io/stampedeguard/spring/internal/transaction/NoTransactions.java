package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.TransactionOptions;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The transactions of an application without Spring's. */
final class NoTransactions implements Transactions {
    static final Transactions INSTANCE = new NoTransactions();

    private NoTransactions() {}

    @Override
    public boolean hasChanged(String cache, String key) {
        return false;
    }

    @Override
    public void change(String cache, Change what, Runnable change) {
        change.run();
    }

    @Override
    public TransactionOptions.Loads loadRule() {
        return TransactionOptions.Loads.STORE;
    }

    @Override
    public void loaded(String cache, String key, Runnable removal) {}

    @Override
    public @Nullable Instant snapshotBegin() {
        return null;
    }

    @Override
    public @Nullable Duration maxWait() {
        return null;
    }
}
