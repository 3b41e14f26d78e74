package io.stampedeguard.spring.internal.transaction;

import java.util.Set;

/** The transactions of an application without Spring's. */
final class NoTransactions implements Transactions {
    static final Transactions INSTANCE = new NoTransactions();

    private NoTransactions() {}

    @Override
    public Access access(String cache, Set<String> keys) {
        return Access.OUTSIDE;
    }

    @Override
    public void change(String cache, Change what, Runnable change) {
        change.run();
    }

    @Override
    public void changeNow(String cache, Change what, Runnable change) {
        change.run();
    }

    @Override
    public void loaded(String cache, String key, Runnable removal) {}

    @Override
    public void notStored() {}
}
