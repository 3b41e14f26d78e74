package io.stampedeguard.spring.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cache.interceptor.BeanFactoryCacheOperationSourceAdvisor;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Wraps Spring's sources of cache operations, and its cache interceptor if there may be reactive methods. The bean must be known as
 * {@link PriorityOrdered} before it is created: sources are created with the first proxy, which may be that of another post-processor.
 * So it depends on no other bean.
 */
public final class GuardingPostProcessor implements BeanPostProcessor, PriorityOrdered {
    private static final boolean IS_REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.publisher.Mono", GuardingPostProcessor.class.getClassLoader());

    private volatile @Nullable CallSites sites;

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (IS_REACTOR_PRESENT
                && bean instanceof BeanFactoryCacheOperationSourceAdvisor advisor
                && advisor.getAdvice() instanceof CacheInterceptor cache) {
            advisor.setAdvice(new SubscriberContext(cache, this));
        }
        return bean instanceof CacheOperationSource source && !(bean instanceof GuardedOperationSource)
                ? new GuardedOperationSource(name, source, this)
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
