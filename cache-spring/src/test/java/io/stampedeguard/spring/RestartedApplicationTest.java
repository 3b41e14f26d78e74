package io.stampedeguard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.application.restarted.Product;
import io.stampedeguard.application.restarted.Products;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.store.InMemoryStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * An application that is restarted in its JVM, as by Spring Boot's DevTools: a new class loader has its classes, and the same one the
 * libraries. What the store has from before are values of the new classes.
 */
final class RestartedApplicationTest {
    private final InMemoryStore store = InMemoryStore.create();

    /** Loads the application itself, and all else by its parent. */
    private static final class RestartClassLoader extends ClassLoader {
        RestartClassLoader(String name) {
            super(name, RestartedApplicationTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null || !name.startsWith(Products.class.getPackageName())) {
                    return known == null ? super.loadClass(name, resolve) : known;
                }
                try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] code = file.readAllBytes();
                    return defineClass(name, code, 0, code.length);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private record Values(Object one, List<?> all) {}

    /** Starts the application with a class loader of its own, and calls its methods twice. */
    private Values valuesOf(RestartClassLoader loader, Format format) throws ReflectiveOperationException {
        Class<?> products = loader.loadClass(Products.class.getName());
        try (AnnotationConfigApplicationContext context = Contexts.over(
                store, manager -> manager.defaults(cache -> cache.codec(format).nearMaximumSize(100)), products)) {
            Object bean = context.getBean(products);
            products.getMethod("find", long.class).invoke(bean, 1L);
            products.getMethod("all").invoke(bean);
            return new Values(products.getMethod("find", long.class).invoke(bean, 1L), (List<?>)
                    products.getMethod("all").invoke(bean));
        }
    }

    @ParameterizedTest
    @EnumSource
    void valuesOfBeforeAreOfTheNewClasses(Format format) throws Exception {
        RestartClassLoader before = new RestartClassLoader("before");
        RestartClassLoader after = new RestartClassLoader("after");
        assertThat(valuesOf(before, format).one()).hasToString("Product[id=1, foundBy=before]");

        Values found = valuesOf(after, format);

        assertThat(found.one())
                .hasToString("Product[id=1, foundBy=before]")
                .isExactlyInstanceOf(after.loadClass(Product.class.getName()));
        assertThat(found.all().toArray()).containsExactly(found.one());
    }
}
