package io.stampedeguard.spring;

import io.stampedeguard.spring.internal.call.CallSites;
import io.stampedeguard.spring.internal.call.GuardingPostProcessor;
import io.stampedeguard.spring.internal.transaction.TransactionBegins;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * What guards the cache annotations of an application. Import it beside {@code @EnableCaching}, and define a {@link
 * StampedeCacheManager} as a bean. Caches of other managers work as without it.
 */
@Configuration(proxyBeanMethods = false)
public class StampedeCachingConfiguration {
    /** Creates the configuration. */
    public StampedeCachingConfiguration() {}

    /** {@return what wraps the sources of cache operations; static, and of a type that is known to have priority} */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardingPostProcessor stampedeGuardingPostProcessor() {
        return new GuardingPostProcessor();
    }

    /** {@return what notes when transactions begin; static, like the other} */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TransactionBegins stampedeTransactionBegins() {
        return new TransactionBegins();
    }

    /** {@return the cache resolver of all annotations} */
    @Bean(CallSites.BEAN_NAME)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    CallSites stampedeCallSites(ObjectProvider<StampedeCacheManager> managers, GuardingPostProcessor postProcessor) {
        return new CallSites(
                cache -> cache instanceof StampedeCache own ? own.guarded() : null,
                () -> managers.stream().anyMatch(manager -> manager.guard() == Guard.ALL),
                postProcessor);
    }

    /** {@return the bean of {@code key = "@stampede.tag('supplier:7')"}} */
    @Bean
    StampedeTags stampede() {
        return new StampedeTags();
    }
}
