package io.stampedeguard.spring.internal.transaction;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Notes when transactions begin: of all transaction managers that are beans. The first statement of a transaction may come before its
 * first look at a cache, so that looking at the clock then is too late. Does nothing without Spring's transactions.
 */
public final class TransactionBegins implements BeanPostProcessor, PriorityOrdered {
    private static final boolean IS_PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.ConfigurableTransactionManager", TransactionBegins.class.getClassLoader());

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** Adds a listener to a transaction manager, before others can wrap it. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (IS_PRESENT) {
            BeginListener.addTo(bean);
        }
        return bean;
    }
}
