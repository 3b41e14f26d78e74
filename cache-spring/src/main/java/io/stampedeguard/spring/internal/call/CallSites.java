package io.stampedeguard.spring.internal.call;

import io.stampedeguard.spring.internal.call.CallerInvocation.Rest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueWrapper;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationInvocationContext;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.CompositeCacheOperationSource;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.util.StringUtils;

/**
 * The cache annotations of an application: gives each invocation a view of its caches. The caches are those that Spring would resolve
 * for the original annotation; as a part of Spring's own support, this class can evaluate {@code unless} as Spring does.
 * <em>Thread-safe.</em>
 */
public final class CallSites extends CacheAspectSupport implements CacheResolver {
    /** The name of the bean, which the annotations then name as their resolver. */
    public static final String BEAN_NAME = "io.stampedeguard.spring.callSites";

    /** Whether this thread asks for a subscriber whose {@code Context} has a transaction. */
    private static final ThreadLocal<Boolean> IN_TRANSACTION = new ThreadLocal<>();

    private final Function<Cache, @Nullable GuardedCache> guarded;
    private final BooleanSupplier guardsAll;
    private final GuardingPostProcessor postProcessor;
    private final Map<CacheOperation, Site> byOperation = new ConcurrentHashMap<>();
    private final Map<Site, CacheOperationMetadata> metadata = new ConcurrentHashMap<>();

    /** What asks each source of operations, and has the resolver of its annotations; not changed once these are guarded. */
    private final IdentityHashMap<CacheOperationSource, CacheAspectSupport> supports = new IdentityHashMap<>();

    /** For operations of other sources, such as those within a source of the application. */
    private @Nullable CacheAspectSupport first;

    private @Nullable ListableBeanFactory beans;
    private @Nullable SiteFactory factory;

    /**
     * Creates sites.
     *
     * @param guarded returns the guarded cache of a cache, {@code null} for those of other managers
     * @param guardsAll returns whether annotations without {@code sync = true} are guarded, once all beans are there
     * @param postProcessor wraps the sources of operations
     */
    public CallSites(
            Function<Cache, @Nullable GuardedCache> guarded,
            BooleanSupplier guardsAll,
            GuardingPostProcessor postProcessor) {
        this.guarded = guarded;
        this.guardsAll = guardsAll;
        this.postProcessor = postProcessor;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        beans = (ListableBeanFactory) beanFactory;
    }

    /** There is no source: this object intercepts nothing. */
    @Override
    public void afterPropertiesSet() {}

    /** From now on, annotations are guarded; before, Spring does not cache either. */
    @Override
    public void afterSingletonsInstantiated() {
        if (beans != null) {
            beans.getBeanProvider(CacheAspectSupport.class).stream()
                    .filter(support -> support != this)
                    .forEach(this::guard);
            factory = new SiteFactory(guardsAll.getAsBoolean(), beans);
            postProcessor.begin(this); // last: other threads see what is set before
        }
    }

    private void guard(CacheAspectSupport support) {
        support.setErrorHandler(new PassingErrorHandler(support.getErrorHandler(), this::isGuarded));
        first = first == null ? support : first;
        CacheOperationSource source = support.getCacheOperationSource();
        if (source instanceof CompositeCacheOperationSource several) {
            for (CacheOperationSource each : several.getCacheOperationSources()) {
                supports.putIfAbsent(each, support);
            }
        } else if (source != null) {
            supports.putIfAbsent(source, support);
        }
    }

    /**
     * Returns the operations of a method for Spring, which resolve their caches here.
     *
     * @param source where they are from: several interceptors, such as one of {@code <cache:advice>}, have managers of their own
     */
    Collection<CacheOperation> guarded(
            GuardedOperationSource source, Collection<CacheOperation> operations, Method method, Class<?> targetClass) {
        SiteFactory factory = Objects.requireNonNull(this.factory);
        CacheAspectSupport support = supports.getOrDefault(source, first);
        List<CacheOperation> all = new ArrayList<>();
        for (CacheOperation operation : operations) {
            boolean isGuarded = factory.isGuarded(operation, operations, method, targetClass);
            CacheOperation own = Operations.withResolver(operation, source, method, targetClass, isGuarded);
            if (own != null) {
                byOperation.put(own, factory.create(operation, support, method, targetClass, isGuarded));
            }
            all.add(own == null ? operation : own);
        }
        return List.copyOf(all);
    }

    @Override
    public Collection<? extends Cache> resolveCaches(CacheOperationInvocationContext<?> context) {
        Site site = byOperation.get(context.getOperation());
        if (site == null) {
            throw new IllegalStateException(
                    "the cache resolver " + BEAN_NAME + " is for operations of its own: " + context.getOperation());
        }
        List<? extends Cache> caches = cachesOf(site, context);
        if (site.isGuarded) {
            return List.of(new SiteCall(this, site, caches, context));
        }
        if (caches.size() == 1 && guarded(caches.get(0)) != null) {
            return List.of(new SiteCall(this, site, caches, context));
        }
        return caches.stream()
                .map(cache -> guarded(cache) == null ? cache : new SiteCall(this, site, List.of(cache), context))
                .toList();
    }

    private List<? extends Cache> cachesOf(Site site, CacheOperationInvocationContext<?> context) {
        List<? extends Cache> known = site.caches;
        if (known != null) {
            return known;
        }
        CacheResolver resolver = resolverOf(site);
        List<? extends Cache> caches = List.copyOf(resolver.resolveCaches(new OriginalContext(site.original, context)));
        if (caches.isEmpty()) {
            throw new IllegalStateException("no cache for " + site.original + " on " + site.where);
        }
        if (resolver.getClass() == SimpleCacheResolver.class) {
            site.caches = caches;
        }
        return caches;
    }

    private CacheResolver resolverOf(Site site) {
        CacheOperation operation = site.original;
        if (StringUtils.hasText(operation.getCacheResolver())) {
            return getBean(operation.getCacheResolver(), CacheResolver.class);
        }
        if (StringUtils.hasText(operation.getCacheManager())) {
            return new SimpleCacheResolver(getBean(operation.getCacheManager(), CacheManager.class));
        }
        CacheResolver resolver = site.support == null ? null : site.support.getCacheResolver();
        if (resolver == null) {
            throw new IllegalStateException(
                    "no CacheResolver: there is no CacheInterceptor, or more than one CacheManager");
        }
        return resolver;
    }

    /** Asks the caches on behalf of a subscriber, whose {@code Context} may have a transaction; returns what Spring returns. */
    static @Nullable Object ask(boolean isInTransaction, Rest spring) throws Throwable {
        Boolean before = IN_TRANSACTION.get();
        IN_TRANSACTION.set(isInTransaction);
        try {
            return spring.proceed();
        } finally {
            if (before == null) {
                IN_TRANSACTION.remove();
            } else {
                IN_TRANSACTION.set(before);
            }
        }
    }

    /** Returns whether this thread asks for a subscriber whose {@code Context} has a transaction. */
    static boolean isInTransaction() {
        return Boolean.TRUE.equals(IN_TRANSACTION.get());
    }

    /** Returns the first guarded cache that an invocation asks; {@code null} if there is none. */
    @Nullable
    GuardedCache firstGuarded(CacheOperation operation, Object target, @Nullable Object[] args) {
        Site site = byOperation.get(operation);
        if (site == null) {
            return null;
        }
        Collection<? extends Cache> known = site.caches;
        Collection<? extends Cache> caches =
                known == null ? contextOf(site, args, target).caches() : known;
        for (Cache cache : caches) {
            GuardedCache guarded = guarded(cache);
            if (guarded != null) {
                return guarded;
            }
        }
        return null;
    }

    /** Returns the guarded cache of a cache; {@code null} if it is of another manager. */
    @Nullable
    GuardedCache guarded(Cache cache) {
        return guarded.apply(cache);
    }

    private boolean isGuarded(Cache cache) {
        return cache instanceof SiteCall call ? call.isGuarded() : guarded(cache) != null;
    }

    /** Looks up in a cache of another manager, whose failures are the error handler's. */
    @Nullable
    ValueWrapper foreignGet(Site site, Cache cache, Object key) {
        try {
            return cache.get(key);
        } catch (RuntimeException e) {
            if (site.support == null) {
                throw e;
            }
            site.support.getErrorHandler().handleCacheGetError(e, cache, key);
            return null;
        }
    }

    /** Puts into a cache of another manager. */
    void foreignPut(Site site, Cache cache, Object key, @Nullable Object value) {
        try {
            cache.put(key, value);
        } catch (RuntimeException e) {
            if (site.support == null) {
                throw e;
            }
            site.support.getErrorHandler().handleCachePutError(e, cache, key, value);
        }
    }

    /** Returns an invocation as Spring would have it without this library. */
    SiteContext contextOf(Site site, CacheOperationInvocationContext<?> context) {
        return contextOf(site, asPassed(context.getMethod(), context.getArgs()), context.getTarget());
    }

    private SiteContext contextOf(Site site, @Nullable Object[] args, Object target) {
        CacheOperationMetadata known = metadata.get(site);
        if (known == null) {
            known = metadataOf(site); // without a lock: it may create beans
            metadata.put(site, known);
        }
        return new SiteContext(known, args, target);
    }

    /** Generates no keys. */
    private CacheOperationMetadata metadataOf(Site site) {
        return new CacheOperationMetadata(
                site.original, site.method, site.targetClass, getKeyGenerator(), resolverOf(site));
    }

    /** Returns arguments as a caller passes them: Spring's context spreads those of a last array, and does so with what it is given. */
    private static @Nullable Object[] asPassed(Method method, @Nullable Object[] spread) {
        if (!method.isVarArgs()) {
            return spread;
        }
        int last = method.getParameterCount() - 1;
        @Nullable Object[] passed = Arrays.copyOf(spread, last + 1);
        passed[last] = Arrays.copyOfRange(spread, last, spread.length);
        return passed;
    }

    /** An invocation with its original annotation. */
    final class SiteContext extends CacheOperationContext {
        SiteContext(CacheOperationMetadata metadata, @Nullable Object[] args, Object target) {
            super(metadata, args, target);
        }

        Collection<? extends Cache> caches() {
            return getCaches();
        }

        boolean mayStore(@Nullable Object result) {
            return canPutToCache(result);
        }
    }

    /** What the resolver of an application sees. */
    private record OriginalContext(CacheOperation original, CacheOperationInvocationContext<?> context)
            implements CacheOperationInvocationContext<CacheOperation> {
        @Override
        public CacheOperation getOperation() {
            return original;
        }

        @Override
        public Object getTarget() {
            return context.getTarget();
        }

        @Override
        public Method getMethod() {
            return context.getMethod();
        }

        @Override
        public @Nullable Object[] getArgs() {
            return context.getArgs();
        }
    }
}
