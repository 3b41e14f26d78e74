package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.PageCode;
import io.stampedeguard.spring.StampedeCacheManager;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/ttls.md}: its policies are built, its properties make the same ones, and its defaults are those of the code. */
final class TtlsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "ttls.md");

    @TempDir
    private Path directory;

    @Test
    void propertiesOfThePageMakeTheSamePoliciesAsItsCode() throws Exception {
        Map<String, CachePolicy> policies = policies();
        String[] properties = blocks("yaml").stream()
                .flatMap(String::lines)
                .map(line -> line.replaceFirst(": ", "="))
                .toArray(String[]::new);

        Contexts.inMemory().withPropertyValues(properties).run(context -> {
            StampedeCacheManager manager = Contexts.manager(context);
            policies.forEach((name, policy) -> {
                manager.getCache(name);
                CachePolicy bySpring = manager.coreCaches().get(name).policy();
                // These two have other defaults with Spring.
                CachePolicy expected = policy.toBuilder()
                        .coolDownOn(bySpring.coolDownOn())
                        .changeMemory(bySpring.changeMemory())
                        .build();
                assertThat(bySpring.differenceFrom(expected)).as(name).isEmpty();
            });
        });
    }

    @Test
    void defaultsOfThePageAreThoseOfThePolicy() throws IOException {
        CachePolicy policy = CachePolicy.defaults();

        assertThat(policy.softTtl()).isEqualTo(Duration.ofMinutes(5));
        assertThat(policy.hardTtl()).isEqualTo(policy.softTtl().multipliedBy(2));
        assertThat(policy.negativeTtl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.jitter()).isEqualTo(0.1);
        assertThat(policy.loadTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.waitTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(Files.readString(PAGE)).contains("""
                | `softTtl` | 5 min |
                | `hardTtl` | 2 × `softTtl` |
                | `negativeTtl` | 30 s, or `softTtl` if shorter |
                | `jitter` | up to 10 % shorter |
                | `loadTimeout`, `waitTimeout` | 30 s, 10 s |
                """);
    }

    @SuppressWarnings("unchecked") // what the program returns
    private Map<String, CachePolicy> policies() throws Exception {
        return (Map<String, CachePolicy>)
                PageCode.run(directory, "TtlsPage", """
                import io.stampedeguard.policy.CachePolicy;
                import java.time.Duration;
                import java.util.Map;

                public class TtlsPage {
                    public static Object run() {
                        %s
                        return Map.of("products", products, "rates", rates, "permissions", permissions, "reports", reports);
                    }
                }
                """.formatted(String.join("\n", blocks("java"))));
    }

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map(block -> block.group(1))
                .toList();
    }
}
