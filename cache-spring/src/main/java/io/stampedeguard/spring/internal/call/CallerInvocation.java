package io.stampedeguard.spring.internal.call;

import io.stampedeguard.loader.ContextCarrier;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.util.ClassUtils;

/**
 * Carries the invocation that Spring exposes to the thread of a load, with the rest of the caller's context: AspectJ advice between the
 * cache and the method asks for it, and would fail each reload without it. <em>Thread-safe.</em>
 *
 * @param rest carries the rest
 */
public record CallerInvocation(ContextCarrier rest) implements ContextCarrier {
    /** Only advice of AspectJ asks for an invocation, and has it exposed. */
    private static final boolean IS_ASPECTJ_PRESENT =
            ClassUtils.isPresent("org.aspectj.lang.JoinPoint", CallerInvocation.class.getClassLoader());

    private static final boolean IS_PROPAGATION_PRESENT = ClassUtils.isPresent(
            "io.micrometer.context.ContextSnapshotFactory", CallerInvocation.class.getClassLoader());

    /** Returns a carrier that carries what Micrometer's context propagation knows, if it is present, and otherwise nothing. */
    public static ContextCarrier standard() {
        return IS_PROPAGATION_PRESENT ? Propagation.carrier() : UnaryOperator::identity;
    }

    @Override
    public UnaryOperator<Runnable> capture() {
        UnaryOperator<Runnable> context = rest.capture();
        ProxyMethodInvocation exposed = exposed();
        return exposed == null ? context : load -> context.apply(() -> expose(exposed, load));
    }

    /** Captures the context of this thread; nothing if that fails, which the cache reports when it does the same for a load. */
    UnaryOperator<Runnable> captureIfPossible() {
        try {
            return capture();
        } catch (RuntimeException e) {
            return UnaryOperator.identity();
        }
    }

    /** Returns the invocation that Spring exposes to this thread; {@code null} if there is none. */
    static @Nullable ProxyMethodInvocation exposed() {
        if (!IS_ASPECTJ_PRESENT) {
            return null;
        }
        try {
            return ExposeInvocationInterceptor.currentInvocation() instanceof ProxyMethodInvocation invocation
                    ? invocation
                    : null;
        } catch (IllegalStateException e) { // there is none
            return null;
        }
    }

    /**
     * Calls code in a context that was captured, or without it if that fails; the cache reports such failures of its loads. Returns what
     * the code returns, and throws what it throws.
     */
    static @Nullable Object call(UnaryOperator<Runnable> context, Rest code) throws Exception {
        OnceOnly<Object> once = OnceOnly.of(() -> proceed(code));
        try {
            context.apply(once::run).run();
        } catch (RuntimeException e) { // of the carrier
            once.run();
        }
        return once.call();
    }

    private static void expose(ProxyMethodInvocation exposed, Runnable load) {
        try {
            expose(exposed, () -> {
                load.run();
                return null;
            });
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) { // a load throws none
            throw new IllegalStateException(e);
        }
    }

    /** Calls code to which an invocation is exposed, if there is one; returns what the code does. */
    static @Nullable Object expose(@Nullable ProxyMethodInvocation exposed, Rest code) throws Throwable {
        return exposed == null
                ? code.proceed()
                : ExposeInvocationInterceptor.INSTANCE.invoke(new WithRest(exposed, code));
    }

    private static @Nullable Object proceed(Rest code) throws Exception {
        try {
            return code.proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) { // no method declares such
            throw new IllegalStateException(e);
        }
    }

    /** What an invocation proceeds with. */
    @FunctionalInterface
    interface Rest {
        /** Proceeds, and returns the result. */
        @Nullable
        Object proceed() throws Throwable;
    }

    /** Apart, because the classes may be absent. */
    private static final class Propagation {
        static ContextCarrier carrier() {
            io.micrometer.context.ContextSnapshotFactory snapshots =
                    io.micrometer.context.ContextSnapshotFactory.builder().build();
            return () -> snapshots.captureAll()::wrap;
        }
    }

    /** The invocation of a caller, with another rest: the caller's own has gone on, or is over, or goes on with something added. */
    record WithRest(ProxyMethodInvocation caller, Rest rest) implements ProxyMethodInvocation {
        @Override
        public @Nullable Object proceed() throws Throwable {
            return rest.proceed();
        }

        @Override
        public Object getProxy() {
            return caller.getProxy();
        }

        @Override
        public MethodInvocation invocableClone() {
            return caller.invocableClone();
        }

        @Override
        public MethodInvocation invocableClone(@Nullable Object... arguments) {
            return caller.invocableClone(arguments);
        }

        @Override
        public void setArguments(@Nullable Object... arguments) {
            caller.setArguments(arguments);
        }

        @Override
        public void setUserAttribute(String key, @Nullable Object value) {
            caller.setUserAttribute(key, value);
        }

        @Override
        public @Nullable Object getUserAttribute(String key) {
            return caller.getUserAttribute(key);
        }

        @Override
        public Method getMethod() {
            return caller.getMethod();
        }

        @Override
        public @Nullable Object[] getArguments() {
            return caller.getArguments();
        }

        @Override
        public @Nullable Object getThis() {
            return caller.getThis();
        }

        @Override
        public AccessibleObject getStaticPart() {
            return caller.getStaticPart();
        }
    }
}
