package io.stampedeguard.spring.boot;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.spring.StampedeCacheManager;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;

/**
 * The caches of an application, whether or not this process has used them: those that it has created, and those that properties, or
 * annotations of beans, name. <em>Thread-safe.</em>
 */
record KnownCaches(StampedeCacheManager manager, ConfigurableListableBeanFactory beans) {
    /** Returns the cache of a name, which may be new; {@code null} if nobody names it. */
    @Nullable
    StampedeGuardedCache<String, ?> find(String name) {
        boolean isKnown = manager.getCacheNames().contains(name) || names().contains(name);
        return isKnown ? manager.getCache(name).getNativeCache() : null;
    }

    /** Returns the names, in a new set. Reads the annotations of all beans, which takes a while. */
    Set<String> names() {
        Set<String> names = new TreeSet<>(manager.getCacheNames());
        AnnotationCacheOperationSource annotations = new AnnotationCacheOperationSource(false);
        for (String bean : beans.getBeanDefinitionNames()) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            if (type != null && annotations.isCandidateClass(type)) {
                MetadataLookup<Collection<CacheOperation>> ofMethod =
                        method -> annotations.getCacheOperations(method, type);
                MethodIntrospector.selectMethods(type, ofMethod).values().stream()
                        .flatMap(Collection::stream)
                        .forEach(operation -> names.addAll(operation.getCacheNames()));
            }
        }
        return names;
    }
}
