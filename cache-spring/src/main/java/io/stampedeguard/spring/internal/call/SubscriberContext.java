package io.stampedeguard.spring.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.spring.internal.call.CallerInvocation.Rest;
import io.stampedeguard.spring.internal.call.CallerInvocation.WithRest;
import java.util.Collection;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Spring's cache interceptor, asked by each subscription to a {@code Mono} or {@code Flux} of a synchronized {@code @Cacheable} method.
 * Spring itself asks when the method is called, and subscribes to its result without the {@code Context} of anybody; so a load would
 * miss the security context, and be empty. Here the result of the method has the {@code Context} of the subscriber that leads the load.
 *
 * @param cache Spring's
 */
record SubscriberContext(CacheInterceptor cache) implements MethodInterceptor {
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> returned = invocation.getMethod().getReturnType();
        boolean isReactive = returned == Mono.class || returned == Flux.class;
        if (!isReactive || !(invocation instanceof ProxyMethodInvocation call) || !isSynchronized(invocation)) {
            return cache.invoke(invocation);
        }
        ProxyMethodInvocation exposed = CallerInvocation.exposed();
        return returned == Mono.class
                ? Mono.deferContextual(context -> (Mono<?>) asked(call, exposed, context))
                : Flux.deferContextual(context -> (Flux<?>) asked(call, exposed, context));
    }

    private boolean isSynchronized(MethodInvocation invocation) {
        CacheOperationSource source = cache.getCacheOperationSource();
        Object target = invocation.getThis();
        if (source == null || target == null) {
            return false;
        }
        Collection<CacheOperation> operations =
                source.getCacheOperations(invocation.getMethod(), AopProxyUtils.ultimateTargetClass(target));
        return operations != null
                && operations.stream().anyMatch(each -> each instanceof CacheableOperation of && of.isSync());
    }

    /** Asks the cache, with an invocation of its own for each subscription: an invocation proceeds once. */
    @SuppressWarnings("CatchingUnchecked") // what the method throws
    private Object asked(ProxyMethodInvocation call, @Nullable ProxyMethodInvocation exposed, ContextView context) {
        MethodInvocation own = call.invocableClone();
        Rest load = () -> withContext(own.proceed(), context);
        try {
            return requireNonNull(CallerInvocation.expose(exposed, () -> cache.invoke(new WithRest(call, load))));
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
