package io.stampedeguard.examples.micronaut.guarded;

import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import io.micronaut.cache.annotation.CacheAnnotation;
import io.micronaut.cache.interceptor.CacheInterceptor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes what a cached method returns one {@link Optional}, if it is declared so. With {@code atomic}, Micronaut's interceptor puts the
 * answer of the cache into an Optional if this call has run the method, even if the answer is one already; and a reload of a stale
 * value, which runs the method later on another thread, may replace one Optional by its value while the call returns.
 */
@InterceptorBean(CacheAnnotation.class)
final class OneOptional implements MethodInterceptor<Object, Object> {
    @Override
    public int getOrder() {
        return CacheInterceptor.POSITION - 1; // around it
    }

    @Override
    public @Nullable Object intercept(MethodInvocationContext<Object, Object> call) {
        Object answer = call.proceed();
        return call.getReturnType().isOptional() ? one(answer) : answer;
    }

    private static Optional<?> one(@Nullable Object answer) {
        Optional<?> optional = answer instanceof Optional<?> given ? given : Optional.ofNullable(answer);
        return optional.isPresent() && optional.get() instanceof Optional<?> inner ? inner : optional;
    }
}
