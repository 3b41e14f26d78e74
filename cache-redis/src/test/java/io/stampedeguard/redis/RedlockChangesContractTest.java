package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.ChangesContract;
import org.junit.jupiter.api.AfterAll;

class RedlockChangesContractTest extends ChangesContract {
    private static final LockServerProcesses SERVERS = new LockServerProcesses(3);
    private static final RedlockLeases STORE = SERVERS.leases();
    private static final RedlockLeases OTHER = SERVERS.leases();

    @AfterAll
    static void close() {
        SERVERS.close();
    }

    @Override
    protected SharedStore store() {
        return STORE;
    }

    @Override
    protected SharedStore other() {
        return OTHER;
    }
}
