package io.stampedeguard.spring.boot;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.loader.ContextCarrier;
import io.stampedeguard.spring.StampedeCacheCustomizer;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.spring.StampedeCacheManagerBuilder;
import io.stampedeguard.spring.StampedeCacheOptions;
import io.stampedeguard.spring.StampedeCachingConfiguration;
import io.stampedeguard.spring.StampedeKeyConverter;
import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.spring.boot.StampedeProperties.CacheSettings;
import io.stampedeguard.spring.boot.StampedeProperties.Transactions;
import io.stampedeguard.store.CacheStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.cache.annotation.AbstractCachingConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration that puts every {@code @Cacheable} method on a guarded cache, with the properties under {@code stampede}.
 *
 * <p>Does nothing if there is a {@code CacheManager} bean, if {@code spring.cache.type} is set, or with {@code
 * stampede.enabled=false}; the log contains the reason. Enables caching unless the application does.
 *
 * <p>All beans of the types {@link CacheListener}, {@link StampedeCacheCustomizer}, and {@link StampedeKeyConverter} apply to all
 * caches, as do a {@link ContextCarrier}, and a {@link ValueCodec} to values of the type that its bean declares. A {@link CacheStore} bean replaces the connection to Redis.
 */
@AutoConfiguration(
        before = CacheAutoConfiguration.class,
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@Conditional(OnStampede.class)
@EnableConfigurationProperties(StampedeProperties.class)
@Import({StampedeCachingConfiguration.class, StampedeStoreConfiguration.class})
public final class StampedeAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(StampedeAutoConfiguration.class);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);
    private static final ConfigurationPropertyName OTHERS = ConfigurationPropertyName.of("spring.cache.redis");

    /** What configures caches of Boot, and may not be on the class path. */
    private static final List<String> OF_OTHERS = List.of(
            "org.springframework.boot.cache.autoconfigure.CacheManagerCustomizer",
            "org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer",
            "org.springframework.data.redis.cache.RedisCacheConfiguration");

    StampedeAutoConfiguration() {}

    /** The lifecycle closes it. */
    @Bean(destroyMethod = "")
    StampedeCacheManager cacheManager(
            StampedeProperties properties,
            CacheStore store,
            ObjectProvider<StampedeKeyConverter<?>> converters,
            ObjectProvider<StampedeCacheCustomizer> customizers,
            ObjectProvider<CacheListener> listeners,
            ObjectProvider<CacheObserver> observers,
            ObjectProvider<ContextCarrier> carrier,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        logWhichCaches(environment, beans);
        Transactions transactions = properties.transactions();
        StampedeCacheManagerBuilder manager = StampedeCacheManager.builder(store)
                .guard(properties.guard())
                .keyConverters(converters.orderedStream().toList())
                .customizers(customizers.orderedStream().toList())
                .configure(cache -> {
                    listeners.orderedStream().forEach(cache::listener);
                    observers.orderedStream().forEach(observer -> observer.configure(cache));
                })
                .onCreate(cache -> observers.orderedStream().forEach(observer -> observer.created(cache)));
        carrier.ifAvailable(manager::contextCarrier);
        codecs(beans, manager);
        manager.defaults(options(beans, properties.defaults(), "stampede.defaults."));
        properties
                .caches()
                .forEach((name, settings) ->
                        manager.cache(name, options(beans, settings, "stampede.caches." + name + ".")));
        try {
            manager.transactions(new TransactionOptions(
                    transactions.loads(), transactions.changes(), transactions.isolation(), transactions.maxWait()));
            return manager.build();
        } catch (IllegalArgumentException wrong) {
            throw StampedeConfigurationException.of(wrong, "Correct the properties under stampede.");
        }
    }

    /** A codec is for the type that its bean declares: {@code ValueCodec<Page<Product>>}. */
    private static void codecs(ConfigurableListableBeanFactory beans, StampedeCacheManagerBuilder manager) {
        for (String name : beans.getBeanNamesForType(ValueCodec.class)) {
            ResolvableType declared = beans.containsBeanDefinition(name)
                    ? beans.getMergedBeanDefinition(name).getResolvableType()
                    : ResolvableType.forClass(beans.getType(name)); // of a registered singleton
            ResolvableType type = declared.as(ValueCodec.class).getGeneric();
            if (type.resolve() != null) {
                manager.codec(type.getType(), beans.getBean(name, ValueCodec.class));
            }
        }
    }

    @SuppressWarnings("unchecked") // keys are texts; a filter of other keys is the application's mistake
    private static Consumer<StampedeCacheOptions> options(BeanFactory beans, CacheSettings settings, String prefix) {
        String name = settings.keyFilter();
        try {
            KeyFilter<String> filter = name == null ? null : beans.getBean(name, KeyFilter.class);
            return options -> apply(settings, options, filter, prefix);
        } catch (BeansException e) {
            throw new StampedeConfigurationException(
                    prefix + "key-filter (" + name + ") is not the name of a KeyFilter bean: " + e.getMessage() + ".",
                    "Define a bean of this name with the type KeyFilter<String>, or remove the property.",
                    e);
        }
    }

    /** An option that is out of its range gets the name of its property; what the application sets itself does not pass here. */
    private static void apply(
            CacheSettings settings, StampedeCacheOptions options, @Nullable KeyFilter<String> filter, String prefix) {
        try {
            settings.applyTo(options, filter);
        } catch (IllegalArgumentException wrong) {
            String message = String.valueOf(wrong.getMessage());
            int end = message.indexOf(' ');
            String property = DataObjectPropertyName.toDashedForm(message.substring(0, end));
            throw new IllegalArgumentException(prefix + property + message.substring(end), wrong);
        }
    }

    /** Otherwise, nobody would notice that what configures other caches has no effect. */
    private static void logWhichCaches(Environment environment, ConfigurableListableBeanFactory beans) {
        LOG.info("Cache annotations use guarded caches; with spring.cache.type, they use Boot's");
        boolean hasProperties = false;
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            hasProperties |= source.containsDescendantOf(OTHERS) == ConfigurationPropertyState.PRESENT;
        }
        if (hasProperties) {
            LOG.warn(
                    "Properties under {} have no effect: set stampede.defaults.soft-ttl instead of time-to-live,"
                            + " and stampede.key-prefix instead of key-prefix; or keep Boot's caches with"
                            + " spring.cache.type=redis",
                    OTHERS);
        }
        List<String> ofOthers = OF_OTHERS.stream()
                .filter(type -> ClassUtils.isPresent(type, beans.getBeanClassLoader()))
                .map(type -> ClassUtils.resolveClassName(type, beans.getBeanClassLoader()))
                .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                .toList();
        if (!ofOthers.isEmpty()) {
            LOG.warn(
                    "The beans {} have no effect: they configure caches of Boot. Set stampede.defaults.* and"
                            + " stampede.caches.<name>.*; or keep Boot's caches with spring.cache.type",
                    ofOthers);
        }
    }

    @Bean
    CacheLifecycle stampedeCacheLifecycle(ApplicationContext context, StampedeCacheManager manager) {
        return new CacheLifecycle(context, manager::close, CLOSE_GRACE);
    }

    @Bean
    static ConfigurationPropertiesBindHandlerAdvisor stampedeOthersVariables() {
        return OthersVariables::new;
    }

    @Bean
    OpenCaches stampedeOpenCaches() {
        return new OpenCaches();
    }

    /** For applications without {@code @EnableCaching}: their annotations would do nothing otherwise. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean({AbstractCachingConfiguration.class, CacheAspectSupport.class})
    @EnableCaching
    static class CachingConfiguration {}
}
