package io.stampedeguard.spring.internal.call;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CachePutOperation;
import org.springframework.cache.interceptor.CacheableOperation;

/**
 * Copies of Spring's cache operations, with another cache resolver. They are of exactly Spring's classes: Spring finds operations by
 * their class, and would not see one of a subclass.
 */
final class Operations {
    private Operations() {}

    /**
     * Returns a copy that asks this library's resolver; {@code null} if the class of the operation is not known.
     *
     * @param isGuarded whether Spring is to ask for the value and its computation in one call, and to leave {@code unless} to it
     */
    static @Nullable CacheOperation withResolver(
            CacheOperation from,
            GuardedOperationSource source,
            Method method,
            Class<?> targetClass,
            boolean isGuarded) {
        CacheOperation.Builder copy = emptyCopy(from, isGuarded);
        if (copy == null) {
            return null;
        }
        // operations are equal if their texts are; a copy has neither the manager nor the resolver of its original or
        // its source
        copy.setName(method + " of " + targetClass.getName() + " as " + from + " of " + source);
        copy.setCacheNames(from.getCacheNames().toArray(String[]::new));
        copy.setKey(from.getKey());
        copy.setKeyGenerator(from.getKeyGenerator());
        copy.setCondition(from.getCondition());
        copy.setCacheResolver(CallSites.BEAN_NAME);
        return copy.build();
    }

    private static CacheOperation.@Nullable Builder emptyCopy(CacheOperation from, boolean isGuarded) {
        if (from.getClass() == CacheableOperation.class) {
            CacheableOperation cacheable = (CacheableOperation) from;
            CacheableOperation.Builder copy = new CacheableOperation.Builder();
            copy.setSync(isGuarded || cacheable.isSync());
            if (!isGuarded && cacheable.getUnless() != null) {
                copy.setUnless(cacheable.getUnless());
            }
            return copy;
        }
        if (from.getClass() == CachePutOperation.class) {
            CachePutOperation.Builder copy = new CachePutOperation.Builder();
            String unless = ((CachePutOperation) from).getUnless();
            if (unless != null) {
                copy.setUnless(unless);
            }
            return copy;
        }
        if (from.getClass() == CacheEvictOperation.class) {
            CacheEvictOperation evict = (CacheEvictOperation) from;
            CacheEvictOperation.Builder copy = new CacheEvictOperation.Builder();
            copy.setCacheWide(evict.isCacheWide());
            copy.setBeforeInvocation(evict.isBeforeInvocation());
            return copy;
        }
        return null;
    }
}
