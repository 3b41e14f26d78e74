package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A store that sends no notifications: callers that wait for another process poll, and near caches confirm their copies. */
public final class WithoutNotifications {
    private WithoutNotifications() {}

    /** Returns the given store, as a {@link SharedStore} and otherwise with its marks alone. */
    public static SharedStore of(CacheStore store) {
        return (SharedStore) Proxy.newProxyInstance(
                WithoutNotifications.class.getClassLoader(),
                new Class<?>[] {SharedStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("ability") && arguments[0] != Marks.Keeper.class) {
                        return null;
                    }
                    if (method.getName().equals("shared")) {
                        return proxy;
                    }
                    try {
                        return method.invoke(store.shared(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }
}
