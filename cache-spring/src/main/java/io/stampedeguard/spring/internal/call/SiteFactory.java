package io.stampedeguard.spring.internal.call;

import io.stampedeguard.spring.internal.key.TagExpressions;
import java.lang.reflect.Method;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheableOperation;

/**
 * Decides what is guarded, and says of each method that is not why, once.
 *
 * @param guardsAll whether annotations without {@code sync = true} are guarded as well
 * @param beans resolves beans in tag expressions
 */
record SiteFactory(boolean guardsAll, BeanFactory beans) {
    private static final Logger LOG = LoggerFactory.getLogger(SiteFactory.class);

    /** Returns whether one load is to serve all callers of an annotated method. */
    boolean isGuarded(
            CacheOperation operation, Collection<CacheOperation> ofMethod, Method method, Class<?> targetClass) {
        if (operation.getClass() != CacheableOperation.class) {
            return false;
        }
        boolean isSync = ((CacheableOperation) operation).isSync();
        if (ofMethod.size() > 1 && !isSync) { // of a synchronized one, Spring rejects the combination
            LOG.warn(
                    "{}: its @Cacheable protects nobody, since Spring does not synchronize a method with several cache annotations;"
                            + " concurrent callers each call it. Move the other annotations to another method.",
                    Site.where(method, targetClass));
        }
        return ofMethod.size() == 1 && (guardsAll || isSync);
    }

    Site create(
            CacheOperation operation,
            @Nullable CacheAspectSupport support,
            Method method,
            Class<?> targetClass,
            boolean isGuarded) {
        TagExpressions tags = TagExpressions.of(method, targetClass, beans);
        return new Site(operation, support, method, targetClass, tags, isGuarded);
    }
}
