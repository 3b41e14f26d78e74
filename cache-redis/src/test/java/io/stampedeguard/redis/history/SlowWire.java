package io.stampedeguard.redis.history;

import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * A store whose requests and answers are sometimes delayed, and also its notifications; each in its own order. It has
 * all the capabilities of the store behind it. <em>Thread-safe</em> if that is.
 *
 * @param target the store behind it
 * @param hesitation in each direction
 */
record SlowWire(Object target, Hesitation hesitation) implements InvocationHandler {
    private static final String STORE = SharedStore.class.getPackageName();

    static SharedStore before(CacheStore store, Hesitation hesitation) {
        return (SharedStore) around(store.shared(), new Class<?>[] {SharedStore.class}, hesitation);
    }

    private static Object around(Object target, Class<?>[] abilities, Hesitation hesitation) {
        return Proxy.newProxyInstance(SlowWire.class.getClassLoader(), abilities, new SlowWire(target, hesitation));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        boolean asksNobody = arguments == null;
        try {
            if (asksNobody) {
                return method.getName().equals("shared") ? proxy : method.invoke(target);
            }
            if (method.getName().equals("ability")) {
                Object ability = method.invoke(target, arguments);
                return ability == null ? null : around(ability, new Class<?>[] {(Class<?>) arguments[0]}, hesitation);
            }
            hesitation.maybe();
            Object answer = method.invoke(target, listenersOn(method.getParameterTypes(), arguments));
            hesitation.maybe();
            return answer;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The store's callbacks use the same wire. */
    private Object[] listenersOn(Class<?>[] types, Object[] arguments) {
        Object[] slow = arguments.clone();
        for (int i = 0; i < types.length; i++) {
            if (types[i].isInterface()
                    && !types[i].isSealed()
                    && types[i].getPackageName().equals(STORE)) {
                slow[i] = around(arguments[i], new Class<?>[] {types[i]}, hesitation);
            } else if (arguments[i] instanceof List<?> all && !all.isEmpty() && all.get(0) instanceof Listener) {
                slow[i] = all.stream()
                        .map(listener -> around(listener, new Class<?>[] {Listener.class}, hesitation))
                        .toList();
            }
        }
        return slow;
    }
}
