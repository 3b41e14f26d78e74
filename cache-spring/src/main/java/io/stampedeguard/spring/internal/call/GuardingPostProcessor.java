package io.stampedeguard.spring.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.core.PriorityOrdered;

/**
 * Wraps Spring's sources of cache operations. The bean must be known as {@link PriorityOrdered} before it is created: sources are
 * created with the first proxy, which may be that of another post-processor. So it depends on no other bean.
 */
public final class GuardingPostProcessor implements BeanPostProcessor, PriorityOrdered {
    private volatile @Nullable CallSites sites;

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof CacheOperationSource source && !(bean instanceof GuardedOperationSource)
                ? new GuardedOperationSource(source, this)
                : bean;
    }

    void begin(CallSites all) {
        sites = all;
    }

    @Nullable
    CallSites sites() {
        return sites;
    }
}
