package io.stampedeguard.store;

import io.stampedeguard.testkit.NoticesContract;

final class InMemoryNoticesTest extends NoticesContract {
    @Override
    protected SharedStore store() {
        return InMemoryStore.create();
    }
}
