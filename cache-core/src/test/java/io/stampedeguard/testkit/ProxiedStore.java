package io.stampedeguard.testkit;

import io.stampedeguard.store.SharedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A store each of whose calls goes to a test. */
public final class ProxiedStore {
    private ProxiedStore() {}

    /** What becomes of a call. */
    public interface Calls {
        @Nullable
        Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
    }

    /** Returns a store whose calls go to a test. */
    public static SharedStore of(Calls calls) {
        return (SharedStore) Proxy.newProxyInstance(
                ProxiedStore.class.getClassLoader(),
                new Class<?>[] {SharedStore.class},
                (proxy, method, arguments) ->
                        method.getName().equals("shared") ? proxy : calls.call(method, arguments));
    }

    /** Passes a call on to a store. */
    public static @Nullable Object pass(SharedStore to, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(to, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
