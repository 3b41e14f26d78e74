package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.SharedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.UnifiedJedis;

/** The README's quick start for Spring Boot: its properties and one annotation are all that an application needs. */
final class ReadmeQuickStartTest {
    private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

    @Test
    void propertiesAndAnnotationAreEnough() throws IOException {
        try (UnifiedJedis redis = SharedRedis.client()) {
            redis.del("shop:{products:7}");
            Contexts.onRedis()
                    .withBean(Contexts.Products.class)
                    .withPropertyValues(properties())
                    .withPropertyValues("stampede.redis.url=" + SharedRedis.uri())
                    .run(context -> {
                        Contexts.Products products = context.getBean(Contexts.Products.class);

                        assertThat(products.find(7)).isEqualTo("product 7");
                        assertThat(products.find(7)).isEqualTo("product 7");

                        assertThat(products.calls()).isEqualTo(1);
                        assertThat(redis.exists("shop:{products:7}")).isTrue();
                        assertThat(Contexts.manager(context)
                                        .coreCaches()
                                        .get("products")
                                        .policy()
                                        .softTtl())
                                .isEqualTo(Duration.ofMinutes(10));
                    });
        }
    }

    private static String[] properties() throws IOException {
        Matcher yaml = YAML.matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(yaml.find()).isTrue();
        return yaml.group(1).lines().map(line -> line.replaceFirst(": ", "=")).toArray(String[]::new);
    }
}
