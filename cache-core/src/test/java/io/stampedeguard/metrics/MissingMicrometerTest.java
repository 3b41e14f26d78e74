package io.stampedeguard.metrics;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Without the jars of Micrometer, which are optional, the listener says which one is missing. */
final class MissingMicrometerTest {
    /** Creates a listener by its constructor. */
    public static final class Constructed implements Callable<Object> {
        @Override
        public Object call() {
            return new MicrometerListener(null);
        }
    }

    /** Creates a builder. */
    public static final class Built implements Callable<Object> {
        @Override
        public Object call() {
            return MicrometerListener.builder(null);
        }
    }

    @Test
    void missingJarIsNamed() {
        for (Class<? extends Callable<?>> code : List.of(Constructed.class, Built.class)) {
            for (String jar : List.of("micrometer-core", "micrometer-observation")) {
                assertThatThrownBy(() -> callWithout(jar, code))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("MicrometerListener needs io.micrometer:" + jar
                                + ", which is not on the class path: add this dependency");
            }
        }
    }

    private static void callWithout(String jar, Class<? extends Callable<?>> code) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Path.of(place).getFileName().toString().matches(jar + "-\\d.*")) {
                path.add(Path.of(place).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            ((Callable<?>) loader.loadClass(code.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .call();
        }
    }
}
