package io.stampedeguard.redis;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.loader.StoreException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the changes that were sent for callers of a cache, and had no answer. */
final class UnansweredSent implements CacheListener {
    private static final Set<Operation> OF_CALLERS =
            Set.of(Operation.LEASE, Operation.PUBLISH, Operation.PUT, Operation.INVALIDATE, Operation.EXPIRE);

    private final AtomicInteger count = new AtomicInteger();

    @Override
    public OperationScope onOperation(String cache, Operation operation) {
        return failure -> {
            if (OF_CALLERS.contains(operation)
                    && failure instanceof StoreException unanswered
                    && !unanswered.isUnsent()) {
                count.incrementAndGet();
            }
        };
    }

    int count() {
        return count.get();
    }
}
