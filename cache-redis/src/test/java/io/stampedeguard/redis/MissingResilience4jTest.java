package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Without the library of the circuit breaker, a store says what is missing; one without a circuit breaker does not need it. */
final class MissingResilience4jTest {
    private static final String URI = "stampede.test.missing.uri";

    @BeforeAll
    static void tellTheServer() {
        System.setProperty(URI, SharedRedis.uri());
    }

    @AfterAll
    static void forgetTheServer() {
        System.clearProperty(URI);
    }

    /** Connects with the default options. */
    public static final class Connected implements Callable<Object> {
        @Override
        public Object call() {
            try (RedisStore store = RedisStore.connect(System.getProperty(URI))) {
                return store.ping();
            }
        }
    }

    @Test
    void missingJarIsNamed() {
        assertThatThrownBy(() -> call(Connected.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "the circuit breaker of RedisStore needs io.github.resilience4j:resilience4j-circuitbreaker,"
                                + " which is not on the class path: add this dependency");
    }

    private static Object call(Class<? extends Callable<?>> code) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Path.of(place).getFileName().toString().startsWith("resilience4j-")) {
                path.add(Path.of(place).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return ((Callable<?>) loader.loadClass(code.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .call();
        }
    }
}
