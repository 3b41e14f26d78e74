package io.stampedeguard.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.lang.StackWalker.StackFrame;
import java.net.URL;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Notes which classes and resources the library asks for by name while it runs. It defines the classes of the library once more, with
 * those of Caffeine, which chooses classes by the options of a cache, and of Jedis; the JVM then comes here for all that they name. A
 * class is noted if {@code forName} has asked for it, not if the JVM has, which links it. <em>Thread-safe.</em>
 */
final class TracingClassLoader extends ClassLoader {
    private static final List<String> OWN =
            List.of("io.stampedeguard.", "com.github.benmanes.caffeine.", "redis.clients.jedis.");

    private final Set<String> names = new ConcurrentSkipListSet<>();

    TracingClassLoader() {
        super(TracingClassLoader.class.getClassLoader());
    }

    /** Returns the names of classes and resources. */
    Stream<String> names() {
        return names.stream();
    }

    /** Calls code of a test, whose class this loader defines; it returns further names that are to be noted. */
    void call(Class<? extends Callable<Set<String>>> code) throws Exception {
        Callable<?> run =
                (Callable<?>) loadClass(code.getName()).getDeclaredConstructor().newInstance();
        ((Set<?>) run.call()).forEach(name -> names.add((String) name));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (isAskedFor("forName")) {
            names.add(name);
        }
        if (OWN.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    @Override
    public @Nullable URL getResource(String name) {
        note(name);
        return super.getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        note(name);
        return super.getResources(name);
    }

    private void note(String resource) {
        if (isAskedFor("")) {
            names.add(resource);
        }
    }

    /** Returns whether the library has called a method of the JDK, with this name, that has led here. */
    private static boolean isAskedFor(String method) {
        return StackWalker.getInstance().walk(frames -> {
            List<StackFrame> all =
                    frames.dropWhile(TracingClassLoader::isOfThis).toList();
            int caller = 0;
            while (caller < all.size() && isBetween(all.get(caller).getClassName())) {
                caller++;
            }
            return caller < all.size()
                    && isOfLibrary(all.get(caller).getClassName())
                    && all.subList(0, caller).stream()
                            .anyMatch(frame ->
                                    method.isEmpty() || frame.getMethodName().equals(method));
        });
    }

    private static boolean isOfThis(StackFrame frame) {
        return frame.getClassName().startsWith(TracingClassLoader.class.getName());
    }

    private static boolean isBetween(String type) {
        return type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("org.springframework.util.");
    }

    private static boolean isOfLibrary(String type) {
        return OWN.stream().anyMatch(type::startsWith)
                && !type.startsWith("io.stampedeguard.testkit.")
                && !type.startsWith("redis.");
    }
}
