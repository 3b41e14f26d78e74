package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's lines of code compile, and do on a real Redis what they say. */
final class ReadmeTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path directory;

    @Test
    void codeOfTheReadmeRuns() throws Exception {
        Path source = Files.writeString(directory.resolve("Readme.java"), program(codeOfTheReadme()));
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", System.getProperty("java.class.path"), source.toString());
        assertThat(failed).as("compiler's exit code").isZero();

        try (URLClassLoader classes = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            Object got = classes.loadClass("Readme").getMethod("run").invoke(null);
            assertThat(got).hasToString("Product[id=42, name=lamp]");
        }
    }

    private static String codeOfTheReadme() throws IOException {
        Matcher java = JAVA.matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(java.find()).as("the README has Java code").isTrue();
        assertThat(java.group(1)).contains("redis://localhost:6379");
        return java.group(1).replace("redis://localhost:6379", SharedRedis.uri());
    }

    /** What the README leaves to its reader: imports, a product, and where products come from. */
    private static String program(String code) {
        return """
                import io.stampedeguard.StampedeGuardedCache;
                import io.stampedeguard.codec.JsonCodec;
                import io.stampedeguard.policy.CachePolicy;
                import io.stampedeguard.redis.RedisStore;
                import java.time.Duration;

                public class Readme {
                    public record Product(long id, String name) {}

                    static class Dao {
                        Product findById(long id) {
                            return new Product(id, "lamp");
                        }
                    }

                    public static Object run() {
                        Dao dao = new Dao();
                        %s
                        products.close();
                        redis.close();
                        return product;
                    }
                }
                """.formatted(code);
    }
}
