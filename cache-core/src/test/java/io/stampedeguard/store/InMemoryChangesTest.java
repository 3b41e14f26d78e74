package io.stampedeguard.store;

import io.stampedeguard.testkit.ChangesContract;

final class InMemoryChangesTest extends ChangesContract {
    private final InMemoryStore store = InMemoryStore.create();

    @Override
    protected SharedStore store() {
        return store;
    }

    @Override
    protected SharedStore other() {
        return store;
    }
}
