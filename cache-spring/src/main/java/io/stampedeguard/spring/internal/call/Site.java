package io.stampedeguard.spring.internal.call;

import io.stampedeguard.spring.internal.key.TagExpressions;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.ValueTypes;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CachePutOperation;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** One cache annotation of one method: what is known of it once and for all. <em>Thread-safe.</em> */
final class Site {
    /** The operation as the annotation has it. */
    final CacheOperation original;

    /** What intercepts the method; {@code null} if nobody knows. */
    final @Nullable CacheAspectSupport support;

    final Method method;
    final Class<?> targetClass;

    /** The types of its values, by the classes of its beans: those of generic repositories have one target class, and many proxies. */
    private final Map<Class<?>, Map<GuardedCache, DeclaredValue>> declared = new ConcurrentHashMap<>();

    /** The last of these that was declared: with one bean and one cache, the only one. */
    private volatile @Nullable Declared lastDeclared;

    final @Nullable TagExpressions tags;

    /** Whether Spring asks for a value and its computation in one call; otherwise it looks up, and puts. */
    final boolean isGuarded;

    final boolean hasUnless;

    /** Whether the method returns a future of an {@link Optional}; Spring itself unwraps one that is no future's. */
    final boolean isFutureOfOptional;

    /** The method as messages name it: hits need it as well, and must not put it together each time. */
    final String where;

    /** The caches, if they are always the same. */
    volatile @Nullable List<? extends Cache> caches;

    private record Declared(Class<?> beanClass, GuardedCache cache, DeclaredValue value) {}

    Site(
            CacheOperation original,
            @Nullable CacheAspectSupport support,
            Method method,
            Class<?> targetClass,
            @Nullable TagExpressions tags,
            boolean isGuarded) {
        this.original = original;
        this.support = support;
        this.method = method;
        this.targetClass = targetClass;
        this.tags = tags;
        this.isGuarded = isGuarded;
        this.where = where(method, targetClass);
        String unless = original instanceof CacheableOperation cacheable
                ? cacheable.getUnless()
                : original instanceof CachePutOperation put ? put.getUnless() : null;
        this.hasUnless = StringUtils.hasText(unless);
        ResolvableType returned = ResolvableType.forMethodReturnType(method, targetClass);
        this.isFutureOfOptional = CompletableFuture.class.isAssignableFrom(method.getReturnType())
                && returned.as(CompletableFuture.class).getGeneric(0).resolve() == Optional.class;
    }

    /** Returns the type of the method's values in a cache, after declaring it there; of a bean, which may be a proxy itself. */
    DeclaredValue declaredIn(GuardedCache cache, Object bean) {
        Class<?> beanClass = bean.getClass();
        Declared last = lastDeclared;
        if (last != null && last.cache == cache && last.beanClass == beanClass) {
            return last.value;
        }
        Map<GuardedCache, DeclaredValue> ofBean = declared.get(beanClass);
        DeclaredValue known = ofBean == null ? null : ofBean.get(cache);
        return known == null ? declare(cache, beanClass) : known;
    }

    private DeclaredValue declare(GuardedCache cache, Class<?> beanClass) {
        DeclaredValue value = declared.computeIfAbsent(beanClass, missing -> new ConcurrentHashMap<>())
                .computeIfAbsent(
                        cache,
                        missing -> missing.declare(
                                ValueTypes.valueTypeOf(
                                        method, targetClass, ClassUtils.getAllInterfacesForClass(beanClass)),
                                method));
        lastDeclared = new Declared(beanClass, cache, value);
        return value;
    }

    /** Returns a method as messages name it. */
    static String where(Method method, Class<?> targetClass) {
        return targetClass.getSimpleName() + "." + method.getName();
    }
}
