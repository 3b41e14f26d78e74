package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.OwnRedis;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What an application that does not start says: the property, its value, and the remedy. */
final class FailureMessagesTest {
    private static void assertFailure(
            ApplicationContextRunner contexts, String description, String action, String... properties) {
        contexts.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new StampedeFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).contains(description);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    @Test
    void bootFindsTheAnalyzer() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
                        .load(
                                FailureAnalyzer.class,
                                SpringFactoriesLoader.FailureHandler.handleMessage((text, e) -> {})))
                .hasAtLeastOneElementOfType(StampedeFailureAnalyzer.class);
    }

    @Test
    void hardTtlIsShorterThanSoftTtl() {
        assertFailure(
                Contexts.inMemory(),
                "stampede.caches.products.hard-ttl (30s) is shorter than soft-ttl (1m).",
                "Raise it, or remove it: it is twice soft-ttl by default.",
                "stampede.caches.products.soft-ttl=1m",
                "stampede.caches.products.hard-ttl=30s");
    }

    @Test
    void defaultIsOutOfItsRange() {
        assertFailure(
                Contexts.inMemory(),
                "stampede.defaults.jitter 1.5 is not in [0, 1).",
                "Correct the properties under stampede.",
                "stampede.defaults.jitter=1.5");
    }

    @Test
    void encodingIsOutOfItsRange() {
        assertFailure(
                Contexts.inMemory(),
                "stampede.caches.products.codec-version 70000 is not between 0 and 65535.",
                "Correct the properties under stampede.",
                "stampede.caches.products.codec-version=70000");
        assertFailure(
                Contexts.inMemory(),
                "stampede.defaults.compress-above -1 is negative.",
                "Correct the properties under stampede.",
                "stampede.defaults.compress-above=-1B");
        assertFailure(
                Contexts.inMemory(),
                "stampede.defaults.compress-above -4294967296 is negative.",
                "Correct the properties under stampede.",
                "stampede.defaults.compress-above=-4GB");
    }

    @Test
    void nearCacheIsOutOfItsRange() {
        assertFailure(
                Contexts.inMemory(),
                "stampede.caches.products.near.maximum-size -5 is negative.",
                "Correct the properties under stampede.",
                "stampede.caches.products.near.maximum-size=-5");
        assertFailure(
                Contexts.inMemory(),
                "stampede.defaults.near.max-staleness (50ms) is shorter than 100ms.",
                "Correct the properties under stampede.",
                "stampede.defaults.near.max-staleness=50ms");
    }

    @Test
    void lengthIsShownAsItWasGiven() {
        Map.of(
                        "500us", "(0.5ms) is shorter than 1ms",
                        "-1ns", "(-0.000001ms) is shorter than 1ms",
                        "9223372036854775807s", "(9223372036854775807s) is longer than 87600h",
                        "-9223372036854775807s", "(-9223372036854775807s) is shorter than 1ms")
                .forEach((length, complaint) -> assertFailure(
                        Contexts.inMemory(),
                        "stampede.defaults.soft-ttl " + complaint,
                        "Correct the properties under stampede.",
                        "stampede.defaults.soft-ttl=" + length));
        assertFailure(
                Contexts.inMemory(),
                "stampede.defaults.hard-ttl (999.999ms) is shorter than soft-ttl (1s).",
                "Raise it",
                "stampede.defaults.soft-ttl=1s",
                "stampede.defaults.hard-ttl=999999us");
    }

    @Test
    void waitInTransactionsIsNegative() {
        Map.of("-1s", "-1s", "-500us", "-0.5ms", "-9223372036854775807s", "-9223372036854775807s")
                .forEach((wait, shown) -> assertFailure(
                        Contexts.inMemory(),
                        "stampede.transactions.wait (" + shown + ") is negative.",
                        "Correct the properties under stampede.",
                        "stampede.transactions.wait=" + wait));
    }

    @Test
    void propertyIsUnknown() {
        for (String wrong : List.of(
                "stampede.caches.products.soft-tll=1m",
                "stampede.caches.my.products.soft-ttl=1m",
                "stampede.defaults.near.size=10",
                "stampede.redis.host=elsewhere",
                "stampede.keyprefix2=shop:")) {
            Contexts.inMemory()
                    .withPropertyValues(wrong)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasRootCauseInstanceOf(UnboundConfigurationPropertiesException.class)
                            .rootCause()
                            .hasMessageContaining(wrong.substring(0, wrong.indexOf('='))));
        }
    }

    /** Of the operator commands, and of Kubernetes for services named stampede-…, with which Boot's rules make them properties. */
    @Test
    void variablesOfOthersFailNothing() {
        for (String variable : List.of(
                "STAMPEDE_REDIS",
                "STAMPEDE_SENTINEL_AUTH",
                "STAMPEDE_REDIS_PORT",
                "STAMPEDE_CACHES_PORT",
                "STAMPEDE_DEFAULTS",
                "STAMPEDE_METRICS",
                "STAMPEDE_CACHES_PRODUCTS_NEAR")) {
            assertThat(withVariable(Contexts.withoutProperties(), variable, "redis://127.0.0.1:1"))
                    .as(variable)
                    .isNull();
        }
        assertThat(withVariable(Contexts.withoutProperties(), "STAMPEDE_CACHES_PRODUCTS_SOFT_TTL", "soon"))
                .as("a property")
                .isNotNull();
        assertThat(withVariable(
                        Contexts.withoutProperties().withPropertyValues("stampede.metrics=1"),
                        "STAMPEDE_METRICS",
                        "redis://…"))
                .as("in a file as well")
                .isNotNull();
    }

    private static @Nullable Throwable withVariable(ApplicationContextRunner contexts, String name, String value) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        contexts.withPropertyValues("stampede.store=in-memory")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                new SystemEnvironmentPropertySource(
                                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                        Map.of(name, value))))
                .run(context -> failure.set(context.getStartupFailure()));
        return failure.get();
    }

    @Test
    void everySpellingOfAPropertyIsKnown() {
        Contexts.inMemory()
                .withPropertyValues(
                        "stampede.caches.products.softTtl=1m",
                        "stampede.caches[user/info].soft_ttl=1m",
                        "stampede.defaults.cool-down-exceptions[0]=java.io.IOException",
                        "stampede.caches.orders.near.MAXIMUM-SIZE=5")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void userHasNoPassword() {
        assertFailure(
                Contexts.onRedis(),
                "stampede.redis.username (shop) has no stampede.redis.password.",
                "Set stampede.redis.password",
                "stampede.redis.url=redis://127.0.0.1:1",
                "stampede.redis.username=shop");
    }

    @Test
    void passwordOrBundleDoesNotFitTheUrl() {
        assertFailure(
                Contexts.onRedis(),
                "stampede.redis.password is set, but stampede.redis.url has a password as well.",
                "Correct the properties under stampede.redis.",
                "stampede.redis.url=redis://shop:secret@127.0.0.1:1",
                "stampede.redis.password=other");
        assertFailure(
                Contexts.onRedis(),
                "stampede.redis.ssl-bundle is set, but stampede.redis.url is not rediss://.",
                "Correct the properties under stampede.redis.",
                "spring.ssl.bundle.pem.shop.options.enabled-protocols=TLSv1.3",
                "stampede.redis.url=redis://127.0.0.1:1",
                "stampede.redis.ssl-bundle=shop");
        assertFailure(
                Contexts.onRedis(),
                "stampede.redis.ssl-bundle (shop) is not the name of an SSL bundle.",
                "Define the bundle under spring.ssl.bundle",
                "stampede.redis.url=rediss://127.0.0.1:1",
                "stampede.redis.ssl-bundle=shop");
    }

    @Test
    void keyFilterIsNoBean() {
        assertFailure(
                Contexts.inMemory(),
                "stampede.caches.products.key-filter (existing) is not the name of a KeyFilter bean",
                "Define a bean of this name",
                "stampede.caches.products.key-filter=existing");
    }

    @Test
    void urlIsMalformed() {
        assertFailure(
                Contexts.onRedis(),
                "Not a Redis URI: the scheme 'http' is neither redis",
                "Correct the properties under stampede.redis.",
                "stampede.redis.url=http://localhost");
    }

    @Test
    void optionOfTheStoreIsOutOfItsRange() {
        assertFailure(
                Contexts.onRedis(),
                "stampede.redis.max-connections 0 is not between 1 and 10000.",
                "Correct the properties under stampede.redis.",
                "stampede.redis.max-connections=0");
    }

    @Test
    void keyPrefixContainsABrace() {
        assertFailure(
                Contexts.onRedis(),
                "stampede.key-prefix '{shop}:' contains a brace",
                "Correct the properties under stampede.redis.",
                "stampede.key-prefix={shop}:");
    }

    @Test
    void passwordIsWrong() {
        try (OwnRedis redis = new OwnRedis("--user", "shop", "on", ">secret", "~*", "&*", "+@all")) {
            assertFailure(
                    Contexts.onRedis(),
                    "WRONGPASS",
                    "Correct stampede.redis.username and stampede.redis.password.",
                    "stampede.redis.url=" + redis.uri(),
                    "stampede.redis.username=shop",
                    "stampede.redis.password=wrong");
        }
    }

    @Test
    void redisDoesNotAnswerAndIsRequired() {
        assertFailure(
                Contexts.onRedis(),
                "Could not connect to Redis at 127.0.0.1:1",
                "or start Redis.",
                "stampede.redis.url=redis://127.0.0.1:1",
                "stampede.redis.fail-fast=true");
    }

    @Test
    void noSentinelAnswers() {
        assertFailure(
                Contexts.onRedis(),
                "Could not connect to Redis at master 'shop' of the Sentinels 127.0.0.1:1",
                "one of the given servers has to answer when the application starts",
                "stampede.redis.url=redis-sentinel://127.0.0.1:1/shop");
    }
}
