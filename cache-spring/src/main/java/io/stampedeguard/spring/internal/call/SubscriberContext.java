package io.stampedeguard.spring.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.spring.internal.call.CallerInvocation.Rest;
import io.stampedeguard.spring.internal.call.CallerInvocation.WithRest;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.util.ClassUtils;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Spring's cache interceptor, asked by each subscription to a {@code Mono} or {@code Flux} of a synchronized {@code @Cacheable} method.
 * Spring itself asks when the method is called, and subscribes to its result without the {@code Context} of anybody; so a load would
 * miss the security context, and be empty. Here the result of the method has the {@code Context} of the subscriber that leads the load;
 * the key is evaluated in the context that the carrier of the cache has captured at the call.
 *
 * <p>A subscriber with a reactive transaction leads no load for others, and causes no reload: these would run within its transaction,
 * perhaps beyond its end.
 *
 * @param cache Spring's
 * @param postProcessor has the sites, once all beans are there
 */
record SubscriberContext(CacheInterceptor cache, GuardingPostProcessor postProcessor) implements MethodInterceptor {
    /** What Spring keeps a reactive transaction under; none if its transactions are not on the class path. */
    private static final List<Class<?>> TRANSACTIONS = transactionKeys();

    private static List<Class<?>> transactionKeys() {
        ClassLoader loader = SubscriberContext.class.getClassLoader();
        return Stream.of(
                        "org.springframework.transaction.reactive.TransactionContext",
                        "org.springframework.transaction.reactive.TransactionContextHolder")
                .filter(name -> ClassUtils.isPresent(name, loader))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, loader))
                .toList();
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> returned = invocation.getMethod().getReturnType();
        boolean isReactive = returned == Mono.class || returned == Flux.class;
        if (!isReactive || !(invocation instanceof ProxyMethodInvocation call)) {
            return cache.invoke(invocation);
        }
        GuardedCache guarded = guarded(call);
        if (guarded == null) {
            return cache.invoke(invocation);
        }
        UnaryOperator<Runnable> caller = guarded.carrier().captureIfPossible();
        return returned == Mono.class
                ? Mono.deferContextual(context -> (Mono<?>) asked(call, caller, context))
                : Flux.deferContextual(context -> (Flux<?>) asked(call, caller, context));
    }

    /** Returns the guarded cache of a synchronized method; {@code null} if the method is another one, or has caches of other managers. */
    private @Nullable GuardedCache guarded(MethodInvocation invocation) {
        CallSites sites = postProcessor.sites();
        CacheOperationSource source = cache.getCacheOperationSource();
        Object target = invocation.getThis();
        if (sites == null || source == null || target == null) {
            return null;
        }
        Collection<CacheOperation> operations =
                source.getCacheOperations(invocation.getMethod(), AopProxyUtils.ultimateTargetClass(target));
        if (operations == null) {
            return null;
        }
        for (CacheOperation each : operations) {
            if (each instanceof CacheableOperation cacheable && cacheable.isSync()) {
                return sites.firstGuarded(each, target, invocation.getArguments());
            }
        }
        return null;
    }

    /** Asks the cache, with an invocation of its own for each subscription: an invocation proceeds once. */
    @SuppressWarnings("CatchingUnchecked") // what the method throws
    private Object asked(ProxyMethodInvocation call, UnaryOperator<Runnable> caller, ContextView context) {
        MethodInvocation own = call.invocableClone();
        Rest load = () -> withContext(CallerInvocation.call(caller, own::proceed), context);
        boolean isInTransaction = TRANSACTIONS.stream().anyMatch(context::hasKey);
        Rest asking = () -> CallSites.ask(isInTransaction, () -> cache.invoke(new WithRest(call, load)));
        try {
            return requireNonNull(CallerInvocation.call(caller, asking));
        } catch (Throwable e) {
            throw Exceptions.propagate(e);
        }
    }

    private static @Nullable Object withContext(@Nullable Object result, ContextView context) {
        if (result instanceof Mono<?> mono) {
            return mono.contextWrite(context);
        }
        return result instanceof Flux<?> flux ? flux.contextWrite(context) : result;
    }
}
