package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.spring.boot.Migrated.Annotated;
import io.stampedeguard.spring.boot.Migrated.Dao;
import io.stampedeguard.spring.boot.Migrated.Product;
import io.stampedeguard.testkit.Callers;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.UnifiedJedis;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/migrating.md}: its code is compiled, its properties exist, and both do what the page states. */
final class MigratingPageTest {
    private static final int CALLERS = 64;

    /** Longer than any machine is busy. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Pattern PROPERTY =
            Pattern.compile("\\b(?:stampede|spring\\.cache|spring\\.application)\\.[a-z.-]*[a-z]");

    private static final Pattern SHORT_NAME = Pattern.compile("`((?:near\\.)?[a-z]+-[a-z-]+)`");

    private final String page = read(Path.of("..", "docs", "migrating.md"));

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    @Test
    void codeOfThePageIsCompiled() {
        String compiled = withoutIndentation(
                read(Path.of("src", "test", "java", "io", "stampedeguard", "spring", "boot", "Migrated.java")));

        assertThat(blocks("java"))
                .hasSize(3)
                .allSatisfy(block -> assertThat(compiled).contains(withoutIndentation(block)));
    }

    private static String withoutIndentation(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    /** Short names, without what each cache has before them, as well. */
    @Test
    void propertiesOfThePageExist() throws IOException {
        Set<String> known = knownProperties();

        assertThat(Stream.concat(
                        PROPERTY.matcher(page).results().map(MatchResult::group),
                        SHORT_NAME.matcher(page).results().map(name -> "stampede.caches.products." + name.group(1))))
                .contains(
                        "spring.cache.redis.time-to-live",
                        "stampede.caches.products.soft-ttl",
                        "stampede.caches.products.near.maximum-size")
                .allMatch(name -> known.contains(name.replace("stampede.caches.products.", "stampede.defaults.")));
    }

    private static Set<String> knownProperties() throws IOException {
        Set<String> known = new HashSet<>();
        for (URL file : Collections.list(
                MigratingPageTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = file.openStream()) {
                for (JsonNode property : new JsonMapper().readTree(json).get("properties")) {
                    known.add(property.get("name").asString());
                }
            }
        }
        return known;
    }

    /** The lines of YAML that this starter reads, as properties. */
    private String[] properties() {
        return blocks("yaml").stream()
                .flatMap(String::lines)
                .filter(line -> !line.startsWith("spring.cache."))
                .map(line -> line.replaceFirst(": ", "="))
                .toArray(String[]::new);
    }

    @Test
    void propertiesOfThePageHaveTheStatedEffects() {
        Contexts.inMemory().withPropertyValues(properties()).run(context -> {
            Contexts.manager(context).getCache("products");
            StampedeGuardedCache<String, ?> products =
                    Contexts.manager(context).coreCaches().get("products");
            assertThat(products.policy().softTtl()).isEqualTo(Duration.ofMinutes(10));
            assertThat(products.policy().hardTtl()).isEqualTo(Duration.ofMinutes(10));
            assertThat(products.policy().negativeTtl()).isZero();
            assertThat(context.getEnvironment().getProperty("stampede.caches.products.near.maximum-size"))
                    .isEqualTo("10000");
        });
    }

    @Test
    void annotationsStayAndFormerEntriesAreNotRead() {
        try (UnifiedJedis redis = SharedRedis.client()) {
            redis.set("products::42", "{\"id\":42,\"name\":\"former\"}");
            Contexts.onRedis()
                    .withBean(Annotated.class)
                    .withPropertyValues(properties())
                    .withPropertyValues("stampede.redis.url=" + SharedRedis.uri())
                    .run(context -> {
                        Annotated products = context.getBean(Annotated.class);

                        assertThat(products.find(42)).isEqualTo(new Product(42, "lamp"));
                        assertThat(products.find(42)).isEqualTo(new Product(42, "lamp"));
                        assertThat(products.queries()).isEqualTo(1);
                        assertThat(redis.exists("shop:{products:42}")).isTrue();

                        products.rename(42, "sofa");
                        products.find(42);
                        assertThat(products.queries()).isEqualTo(2);
                        assertThat(redis.exists("products::42")).isTrue();
                    });
        }
    }

    /** No load ends before all callers load. */
    @Test
    void eachCallerOfCacheAsideLoads() throws Exception {
        CyclicBarrier all = new CyclicBarrier(CALLERS);
        Dao dao = new Dao(all::await);
        JsonMapper mapper = new JsonMapper();
        try (UnifiedJedis redis = SharedRedis.client();
                Callers callers = new Callers()) {
            assertThat(Callers.results(callers.call(CALLERS, () -> Migrated.byHand(redis, mapper, dao, 42))))
                    .containsOnly(new Product(42, "lamp"));
            assertThat(dao.queries()).isEqualTo(CALLERS);
            assertThat(Migrated.byHand(redis, mapper, dao, 42)).isEqualTo(new Product(42, "lamp"));
        }
    }

    /** The load does not end before all callers have called. */
    @Test
    void oneCallerOfAGuardedCacheLoads() throws Exception {
        CountDownLatch called = new CountDownLatch(CALLERS);
        Dao dao = new Dao(called::await);
        CachePolicy policy = CachePolicy.builder()
                .loadTimeout(PATIENCE)
                .waitTimeout(PATIENCE)
                .build();
        try (RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<Long, Product> products = StampedeGuardedCache.<Long, Product>builder("migrated")
                        .store(store)
                        .codec(JsonCodec.of(Product.class))
                        .policy(policy)
                        .build();
                Callers callers = new Callers()) {
            assertThat(Callers.results(callers.call(CALLERS, () -> {
                        called.countDown();
                        return Migrated.guarded(products, dao, 42);
                    })))
                    .containsOnly(new Product(42, "lamp"));
            assertThat(dao.queries()).isEqualTo(1);
        }
    }
}
