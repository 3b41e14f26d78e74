package io.stampedeguard.spring.boot;

import io.stampedeguard.spring.StampedeCacheManager;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.util.function.SingletonSupplier;

/**
 * The caches of an application, whether or not this process has used them: those that it has created, and those that properties, or
 * annotations of beans, name. <em>Thread-safe.</em>
 */
final class KnownCaches {
    private static final Logger LOG = LoggerFactory.getLogger(KnownCaches.class);

    private final StampedeCacheManager manager;
    private final ConfigurableListableBeanFactory beans;

    /** Read once: the annotations of all beans take a while. */
    private final SingletonSupplier<Set<String>> inAnnotations = SingletonSupplier.of(this::namesInAnnotations);

    KnownCaches(StampedeCacheManager manager, ConfigurableListableBeanFactory beans) {
        this.manager = manager;
        this.beans = beans;
    }

    StampedeCacheManager manager() {
        return manager;
    }

    /** Returns whether there is a cache of a name, or will be once this process uses it. */
    boolean isNamed(String name) {
        return manager.getCacheNames().contains(name) || inAnnotations.obtain().contains(name);
    }

    private Set<String> namesInAnnotations() {
        AnnotationCacheOperationSource annotations = new AnnotationCacheOperationSource(false);
        Set<String> names = new HashSet<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            try {
                addNames(bean, annotations, names);
            } catch (RuntimeException | LinkageError e) { // as of an optional class that its signatures name
                LOG.debug("The cache annotations of bean '{}' cannot be read", bean, e);
            }
        }
        return names;
    }

    private void addNames(String bean, AnnotationCacheOperationSource annotations, Set<String> names) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        if (type != null && annotations.isCandidateClass(type)) {
            MetadataLookup<Collection<CacheOperation>> ofMethod =
                    method -> annotations.getCacheOperations(method, type);
            MethodIntrospector.selectMethods(type, ofMethod).values().stream()
                    .flatMap(Collection::stream)
                    .filter(KnownCaches::isOfTheDefaultManager)
                    .forEach(operation -> names.addAll(operation.getCacheNames()));
        }
    }

    /** Those with another manager, or a resolver, may name caches that are not of this manager. */
    private static boolean isOfTheDefaultManager(CacheOperation operation) {
        return operation.getCacheManager().isEmpty()
                && operation.getCacheResolver().isEmpty();
    }
}
