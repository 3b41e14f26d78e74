package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.RedisStore;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

class JedisVersionTest {
    /** The directory in which the build puts the jar of a version that is too old. */
    private static final Path TOO_OLD = Path.of("target", "jedis", "jedis-5.2.0.jar");

    /** Connects to a server, like an application. */
    public static final class Connecting implements Callable<Object> {
        @Override
        public Object call() {
            return RedisStore.connect("redis://127.0.0.1:1");
        }
    }

    /** Opens a store on a client, like an application. */
    public static final class Using implements Callable<Object> {
        @Override
        public Object call() {
            return RedisStore.using(
                    new UnifiedJedis(
                            new PooledConnectionProvider(new HostAndPort("127.0.0.1", 1)), RedisProtocol.RESP2) {});
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Connecting.class, Using.class})
    void oldJedisOnTheClassPathIsRejectedBeforeAnythingFails(Class<?> application) throws Exception {
        List<URL> path = new ArrayList<>(List.of(TOO_OLD.toUri().toURL()));
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Path.of(place).getFileName().toString().startsWith("jedis-")) {
                path.add(Path.of(place).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Callable<?> old = (Callable<?>) loader.loadClass(application.getName())
                    .getDeclaredConstructor()
                    .newInstance();

            assertThatThrownBy(old::call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("Jedis 5.2.0 is on the class path, but Jedis 6.0 to 8 are supported");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.2.0", "3.10.0"})
    void rejectionOfAnOldVersionNamesItAndTheSupportedOnes(String version) {
        assertThatThrownBy(() -> JedisVersion.check(version))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Jedis " + version + " is on the class path, but Jedis 6.0 to 8 are supported");
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.0.0", "7.4.1", "8.0.2", "of somebody's own"})
    void supportedAndUnknownVersionsAreAccepted(String version) {
        LogLines log = LogLines.of(
                () -> assertThatCode(() -> JedisVersion.check(version)).doesNotThrowAnyException());
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void oneThatIsNewerIsAWarning() {
        LogLines log = LogLines.of(() -> JedisVersion.check("9.1.0"));
        assertThat(log.only(""))
                .contains("Jedis 9.1.0 is on the class path; Jedis 6.0 to 8 are supported, this version is untested");
    }
}
