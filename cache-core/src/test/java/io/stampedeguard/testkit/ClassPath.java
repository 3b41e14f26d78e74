package io.stampedeguard.testkit;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Other class paths than that of the build. */
public final class ClassPath {
    private ClassPath() {}

    /** Returns the class path of the test without the jars whose file names match one of the patterns. */
    public static List<Path> without(String... names) {
        List<Path> path = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path file = Path.of(place);
            if (Stream.of(names).noneMatch(file.getFileName().toString()::matches)) {
                path.add(file);
            }
        }
        return path;
    }

    /** Calls code of a test with classes that are loaded from a given class path, and returns the result. */
    public static Object call(Class<? extends Callable<?>> code, List<Path> path) throws Exception {
        URL[] urls = new URL[path.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = path.get(i).toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            return ((Callable<?>) loader.loadClass(code.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .call();
        }
    }
}
