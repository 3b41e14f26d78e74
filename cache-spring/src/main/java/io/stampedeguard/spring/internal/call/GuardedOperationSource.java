package io.stampedeguard.spring.internal.call;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.core.MethodClassKey;

/**
 * Spring's source of cache operations, with operations of this library in their place as soon as all beans are there.
 * <em>Thread-safe.</em>
 */
final class GuardedOperationSource implements CacheOperationSource {
    private final String name;
    private final CacheOperationSource original;
    private final GuardingPostProcessor postProcessor;
    private final Map<MethodClassKey, Collection<CacheOperation>> known = new ConcurrentHashMap<>();

    GuardedOperationSource(String name, CacheOperationSource original, GuardingPostProcessor postProcessor) {
        this.name = name;
        this.original = original;
        this.postProcessor = postProcessor;
    }

    @Override
    public boolean isCandidateClass(Class<?> targetClass) {
        return original.isCandidateClass(targetClass);
    }

    @Override
    public boolean hasCacheOperations(Method method, @Nullable Class<?> targetClass) {
        return original.hasCacheOperations(method, targetClass);
    }

    @Override
    public @Nullable Collection<CacheOperation> getCacheOperations(Method method, @Nullable Class<?> targetClass) {
        CallSites sites = postProcessor.sites();
        if (sites == null) {
            return original.getCacheOperations(method, targetClass);
        }
        MethodClassKey called = new MethodClassKey(method, targetClass);
        Collection<CacheOperation> found = known.get(called); // without a lock, unlike what follows
        return found != null
                ? found
                : known.computeIfAbsent(called, key -> {
                    Collection<CacheOperation> operations = original.getCacheOperations(method, targetClass);
                    return operations == null || operations.isEmpty()
                            ? List.of()
                            : sites.guarded(
                                    this,
                                    operations,
                                    method,
                                    targetClass == null ? method.getDeclaringClass() : targetClass);
                });
    }

    /** Returns the name of the bean, which no other source has. */
    @Override
    public String toString() {
        return name;
    }
}
