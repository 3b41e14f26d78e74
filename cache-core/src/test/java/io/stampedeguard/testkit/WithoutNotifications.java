package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;

/** A store that sends no notifications: callers that wait for another process poll, and near caches confirm their copies. */
public final class WithoutNotifications {
    private WithoutNotifications() {}

    /** Returns the given store, as a {@link SharedStore} and otherwise with its marks alone. */
    public static SharedStore of(CacheStore store) {
        return ProxiedStore.of(
                (method, arguments) -> method.getName().equals("ability") && arguments[0] != Marks.Keeper.class
                        ? null
                        : ProxiedStore.pass(store.shared(), method, arguments));
    }
}
