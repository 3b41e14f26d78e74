package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.Certificate;
import io.stampedeguard.redis.OwnRedis;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.spring.boot.Contexts.Products;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.Fleet;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;

/** Where the caches connect to. */
@ExtendWith(OutputCaptureExtension.class)
final class RedisConnectionTest {
    private final ApplicationContextRunner contexts =
            Contexts.onRedis().withBean(Products.class).withPropertyValues("spring.application.name=shop");
    private final ApplicationContextRunner withBoot =
            contexts.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

    private static final AtomicInteger PREFIXES = new AtomicInteger();

    /** Two applications with the same properties share entries. */
    private static void assertShared(ApplicationContextRunner contexts, String... properties) {
        ApplicationContextRunner application = contexts.withPropertyValues(properties)
                .withPropertyValues("stampede.key-prefix=application-" + PREFIXES.incrementAndGet() + ":");
        application.run(one -> {
            assertThat(one).hasNotFailed();
            one.getBean(Products.class).find(1);
            application.run(another -> {
                assertThat(another.getBean(Products.class).find(1)).isEqualTo("product 1");
                assertThat(another.getBean(Products.class).calls()).isZero();
            });
        });
    }

    @Test
    void urlOfThisStarter() {
        assertShared(contexts, "stampede.redis.url=" + SharedRedis.uri());
    }

    @Test
    void userAndPasswordBesideTheUrl() {
        try (OwnRedis redis = new OwnRedis("--user", "shop", "on", ">s/e:c@ret", "~*", "&*", "+@all")) {
            assertShared(
                    contexts,
                    "stampede.redis.url=" + redis.uri(),
                    "stampede.redis.username=shop",
                    "stampede.redis.password=s/e:c@ret",
                    "stampede.redis.client-name=caches");
            assertThat(redis.clients("name=caches")).isEmpty();
        }
    }

    @Test
    void hostAndPasswordOfBoot() {
        try (OwnRedis redis = new OwnRedis("--user", "shop", "on", ">s/e:c@ret", "~*", "&*", "+@all")) {
            assertShared(
                    withBoot,
                    "spring.data.redis.host=" + redis.server().host(),
                    "spring.data.redis.port=" + redis.server().port(),
                    "spring.data.redis.database=3",
                    "spring.data.redis.username=shop",
                    "spring.data.redis.password=s/e:c@ret");
            assertThat(redis.admin().select(3)).isEqualTo("OK");
            assertThat(redis.admin().dbSize()).isPositive();
        }
    }

    @Test
    void urlOfBoot() {
        assertShared(withBoot, "spring.data.redis.url=" + SharedRedis.uri());
    }

    @Test
    void urlOfThisStarterComesFirst() {
        assertShared(withBoot, "spring.data.redis.url=redis://127.0.0.1:1", "stampede.redis.url=" + SharedRedis.uri());
    }

    @Test
    void propertiesBesideAConnectionOfBootCountOrAreNamed(CapturedOutput log) {
        withBoot.withPropertyValues(
                        "spring.data.redis.url=" + SharedRedis.uri(),
                        "spring.data.redis.timeout=0",
                        "spring.data.redis.client-name=",
                        "stampede.redis.max-connections=7",
                        "stampede.redis.password=secret",
                        "stampede.redis.ssl-bundle=shop")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(log)
                .contains(
                        "The properties [stampede.redis.password, stampede.redis.ssl-bundle] have no effect: the caches"
                                + " connect as spring.data.redis.* says. Set stampede.redis.url as well, or remove them");
    }

    @Test
    void propertiesBesideAStoreOfTheApplicationAreNamed(CapturedOutput log) {
        contexts.withBean(CacheStore.class, InMemoryStore::create)
                .withPropertyValues("stampede.redis.fail-fast=true", "stampede.key-prefix=shop:")
                .run(context -> assertThat(context).hasSingleBean(CacheStore.class));
        assertThat(log)
                .contains(
                        "The properties [stampede.key-prefix, stampede.redis.command-timeout, stampede.redis.fail-fast]"
                                + " have no effect: the application has a CacheStore bean. Configure that bean, or remove them");
    }

    @Test
    void usualPropertiesAreNotSaidToBeOfNoEffect(CapturedOutput log) {
        withBoot.withPropertyValues("spring.data.redis.url=" + SharedRedis.uri(), "stampede.redis.max-connections=7")
                .run(context -> assertThat(context).hasNotFailed());
        Contexts.inMemory().run(context -> assertThat(context).hasNotFailed());
        assertThat(log).doesNotContain("have no effect");
    }

    @Test
    void detailsOfTheApplication() {
        URI uri = URI.create(SharedRedis.uri());
        DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of(uri.getHost(), uri.getPort());
            }
        };
        assertShared(withBoot.withBean(DataRedisConnectionDetails.class, () -> details));
    }

    @Test
    void connectionsOfBootStayOnLettuce() {
        withBoot.withPropertyValues("spring.data.redis.url=" + SharedRedis.uri())
                .run(context -> assertThat(context).hasSingleBean(LettuceConnectionFactory.class));
    }

    @Test
    void tlsWithABundle(@TempDir Path directory) throws Exception {
        Certificate certificate = Certificate.naming("ip:127.0.0.1", directory);
        try (RedisProcess server = RedisServer.startProcess(
                "--tls-port",
                RedisProcess.FREE_PORT,
                "--tls-cert-file",
                certificate.certificateFile().toString(),
                "--tls-key-file",
                certificate.keyFile().toString(),
                "--tls-ca-cert-file",
                certificate.certificateFile().toString(),
                "--tls-auth-clients",
                "no")) {
            String bundle = "spring.ssl.bundle.pem.redis.truststore.certificate="
                    + certificate.certificateFile().toUri();
            int port = server.portOf("--tls-port");
            assertShared(
                    contexts,
                    bundle,
                    "stampede.redis.url=rediss://127.0.0.1:" + port,
                    "stampede.redis.ssl-bundle=redis");
            assertShared(
                    withBoot,
                    bundle,
                    "spring.data.redis.host=127.0.0.1",
                    "spring.data.redis.port=" + port,
                    "spring.data.redis.ssl.bundle=redis");
        }
    }

    @Test
    @Tag("proof")
    void sentinelsOfBoot() {
        try (RedisSentinels sentinels = RedisSentinels.startWithoutFailover()) {
            assertShared(
                    withBoot,
                    "spring.data.redis.sentinel.master=" + sentinels.masterName(),
                    "spring.data.redis.sentinel.nodes="
                            + sentinels.sentinels().stream()
                                    .map(RedisConnectionTest::address)
                                    .collect(Collectors.joining(",")));
        }
    }

    @Test
    @Tag("proof")
    void clusterOfBoot() {
        try (RedisCluster cluster = RedisCluster.startWithoutFailover()) {
            assertShared(
                    withBoot,
                    "spring.data.redis.cluster.nodes="
                            + cluster.nodes().stream()
                                    .map(RedisConnectionTest::address)
                                    .collect(Collectors.joining(",")));
        }
    }

    private static String address(RedisProcess server) {
        return server.host() + ":" + server.port();
    }

    @Test
    void applicationStartsWithoutRedisAndUsesItOnceItIsThere(CapturedOutput log) {
        try (OwnRedis redis = new OwnRedis()) {
            redis.server().kill();
            contexts.withPropertyValues("stampede.redis.url=" + redis.uri()).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(log).contains("the cache works without Redis until it answers");
                assertThat(context.getBean(Products.class).find(1)).isEqualTo("product 1");
                redis.server().restart();
                Fleet.until(() -> {
                    context.getBean(Products.class).find(1);
                    try (Jedis admin = PlainRedis.admin(
                            redis.server().host(), redis.server().port())) {
                        return admin.dbSize() > 0;
                    }
                });
            });
        }
    }

    @Test
    void withoutANameOthersMayShareEntries(CapturedOutput log) {
        Contexts.onRedis()
                .withPropertyValues("stampede.redis.url=" + SharedRedis.uri())
                .run(context -> assertThat(log).contains("set spring.application.name, or stampede.key-prefix"));
    }
}
