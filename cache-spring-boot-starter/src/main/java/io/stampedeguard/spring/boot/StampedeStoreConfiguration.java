package io.stampedeguard.spring.boot;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreBuilder;
import io.stampedeguard.spring.boot.StampedeProperties.Redis;
import io.stampedeguard.spring.boot.StampedeProperties.Store;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import redis.clients.jedis.DefaultRedisCredentials;

/**
 * The store of the caches: on the server of {@code stampede.redis.url}, or where Boot's Redis module connects to, or at {@code
 * localhost}. If the server does not answer, the application starts without it, and uses it once it is there.
 */
@Configuration(proxyBeanMethods = false)
final class StampedeStoreConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(StampedeAutoConfiguration.class);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

    @Bean
    @ConditionalOnMissingBean
    CacheStore stampedeStore(
            StampedeProperties properties,
            ObjectProvider<RedisConnection> ofBoot,
            ObjectProvider<SslBundles> bundles,
            Environment environment) {
        if (properties.store() == Store.IN_MEMORY) {
            return InMemoryStore.create();
        }
        Redis redis = properties.redis();
        Binder binder = Binder.get(environment);
        RedisConnection found = redis.url() == null ? ofBoot.getIfAvailable() : null;
        if (found != null) {
            warnOfIdle(
                    List.of("redis.username", "redis.password", "redis.ssl-bundle"),
                    binder,
                    "the caches connect as " + found.properties() + ".* says. Set stampede.redis.url as well");
        }
        RedisConnection connection = found == null ? connection(redis, bundles) : found;
        return connection.connect(options(properties, binder));
    }

    /** Otherwise, nobody would notice that properties have no effect. */
    private static void warnOfIdle(List<String> names, Binder properties, String why) {
        List<String> idle = names.stream()
                .map(name -> "stampede." + name)
                .filter(name -> properties.bind(name, String.class).isBound())
                .toList();
        if (!idle.isEmpty()) {
            LOG.warn("The properties {} have no effect: {}, or remove them", idle, why);
        }
    }

    private static RedisConnection connection(Redis redis, ObjectProvider<SslBundles> bundles) {
        if (redis.username() != null && redis.password() == null) {
            throw new StampedeConfigurationException(
                    "stampede.redis.username (" + redis.username() + ") has no stampede.redis.password.",
                    "Set stampede.redis.password, or put both into stampede.redis.url.",
                    null);
        }
        return new RedisConnection(
                "stampede.redis",
                redis.url() == null ? "redis://localhost:6379" : redis.url(),
                redis.password() == null ? null : () -> new DefaultRedisCredentials(redis.username(), redis.password()),
                null,
                redis.sslBundle() == null ? null : bundle(redis.sslBundle(), bundles.getObject()));
    }

    private static SslBundle bundle(String name, SslBundles bundles) {
        try {
            return bundles.getBundle(name);
        } catch (NoSuchSslBundleException missing) {
            throw new StampedeConfigurationException(
                    "stampede.redis.ssl-bundle (" + name + ") is not the name of an SSL bundle.",
                    "Define the bundle under spring.ssl.bundle, or correct the name.",
                    missing);
        }
    }

    private static RedisStoreBuilder options(StampedeProperties properties, Binder others) {
        Redis redis = properties.redis();
        RedisStoreBuilder options = RedisStore.builder()
                .keyPrefix(keyPrefix(properties, others))
                .maxConnections(redis.maxConnections())
                .verifyHostname(redis.verifyHostname())
                .failFast(redis.failFast());
        Duration timeout = redis.commandTimeout() == null
                ? usual(others.bind("spring.data.redis.timeout", Duration.class).orElse(null))
                : redis.commandTimeout();
        if (timeout != null) {
            options.commandTimeout(timeout);
        }
        String name = redis.clientName() == null
                ? others.bind("spring.data.redis.client-name", String.class).orElse(null)
                : redis.clientName();
        if (StringUtils.hasText(name)) {
            options.clientName(name);
        }
        return options;
    }

    /** A time-out that was chosen for another client may be longer than a store's can be, or zero, which is none at all. */
    private static @Nullable Duration usual(@Nullable Duration timeout) {
        return timeout == null || (timeout.compareTo(LONGEST_TIMEOUT) < 0 && !timeout.isZero())
                ? timeout
                : LONGEST_TIMEOUT;
    }

    private static String keyPrefix(StampedeProperties properties, Binder others) {
        if (properties.keyPrefix() != null) {
            return properties.keyPrefix();
        }
        String application =
                others.bind("spring.application.name", String.class).orElse("");
        if (!StringUtils.hasText(application)) {
            LOG.warn("Other applications on the same Redis share the entries of caches with equal names: set"
                    + " spring.application.name, or stampede.key-prefix");
            return "";
        }
        return application + ":";
    }

    /** Where the application defines the store. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(CacheStore.class)
    static class StoreOfTheApplication {
        private static final List<String> NAMES = List.of(
                "store",
                "key-prefix",
                "redis.url",
                "redis.username",
                "redis.password",
                "redis.ssl-bundle",
                "redis.verify-hostname",
                "redis.command-timeout",
                "redis.max-connections",
                "redis.client-name",
                "redis.fail-fast");

        StoreOfTheApplication(Environment environment) {
            warnOfIdle(NAMES, Binder.get(environment), "the application has a CacheStore bean. Configure that bean");
        }
    }

    /** Where Boot's Redis module is there, and has not been excluded. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataRedisConnectionDetails.class)
    static class BootConnectionConfiguration {
        /** Lazy, since it may be of no use. */
        @Bean
        @Lazy
        @ConditionalOnBean(DataRedisConnectionDetails.class)
        RedisConnection stampedeRedisConnection(DataRedisConnectionDetails details) {
            return BootConnection.of(details);
        }
    }
}
