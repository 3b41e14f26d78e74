package io.stampedeguard.spring;

import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;

/** Contexts of small applications, whose store is in memory, and callers of their methods. */
final class Contexts {
    /** How many callers there are together. */
    static final int CALLERS = 64;

    private Contexts() {}

    /** Returns a new context with caches and with beans of some classes, to be closed. */
    static AnnotationConfigApplicationContext of(Class<?>... beans) {
        return of(manager -> {}, beans);
    }

    /** Returns a new context whose manager has other settings. */
    static AnnotationConfigApplicationContext of(
            Consumer<? super StampedeCacheManagerBuilder> settings, Class<?>... beans) {
        return over(InMemoryStore.create(), settings, beans);
    }

    /** Returns a new context over a store, whose class loader is that of the first class. */
    static AnnotationConfigApplicationContext over(
            InMemoryStore store, Consumer<? super StampedeCacheManagerBuilder> settings, Class<?>... beans) {
        StampedeCacheManagerBuilder manager =
                StampedeCacheManager.builder(store).configure(cache -> cache.recordStats());
        settings.accept(manager);
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setClassLoader(beans[0].getClassLoader());
        context.registerBean(StampedeCacheManager.class, manager::build, definition -> definition.setPrimary(true));
        context.register(Caches.class);
        context.register(beans);
        context.refresh();
        return context;
    }

    @Configuration
    @EnableCaching(order = 0)
    @Import(StampedeCachingConfiguration.class)
    static class Caches {}

    /** Advice between the cache and methods of the name {@code find}, which asks for the invocation. */
    @Aspect
    @Order(1)
    @EnableAspectJAutoProxy
    static class Advice {
        final List<Object> seen = Collections.synchronizedList(new ArrayList<>());

        @Before("execution(* find(..))")
        public void note(JoinPoint at) {
            seen.add(at.getArgs()[0]);
        }
    }

    /** Calls a slow method by many threads, and lets it return when all others wait for it. */
    static <T> List<Future<T>> together(StampedeCache cache, Slow method, Callable<T> call) {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        List<Future<T>> answers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            answers.add(threads.submit(call));
        }
        threads.shutdown(); // they end with their calls
        Fleet.until(() -> cache.getNativeCache().stats().waiting() >= CALLERS - 1);
        method.mayReturn();
        return answers;
    }
}
