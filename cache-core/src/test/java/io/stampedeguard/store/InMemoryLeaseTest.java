package io.stampedeguard.store;

import io.stampedeguard.testkit.LeaseContract;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;

final class InMemoryLeaseTest extends LeaseContract {
    private VirtualTime time;

    @Override
    protected SharedStore store() {
        time = new VirtualTime();
        return InMemoryStore.create(time);
    }

    @Override
    protected void pass(Duration length) {
        time.advance(length);
    }
}
