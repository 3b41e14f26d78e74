package io.stampedeguard.redis.history;

import io.stampedeguard.store.SharedStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * A store whose requests and answers are sometimes delayed, and also its notifications; each in its own order. It has
 * all the capabilities of the store behind it. <em>Thread-safe</em> if that is.
 *
 * @param target the store behind it
 * @param hesitation in each direction
 */
record SlowWire(Object target, Hesitation hesitation) implements InvocationHandler {
    private static final String STORE = SharedStore.class.getPackageName();

    static SharedStore before(SharedStore store, Hesitation hesitation) {
        return (SharedStore) around(store, store.getClass().getInterfaces(), hesitation);
    }

    private static Object around(Object target, Class<?>[] abilities, Hesitation hesitation) {
        return Proxy.newProxyInstance(SlowWire.class.getClassLoader(), abilities, new SlowWire(target, hesitation));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        boolean asksNobody = arguments == null;
        try {
            if (asksNobody) {
                return method.invoke(target);
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
            }
        }
        return slow;
    }
}
