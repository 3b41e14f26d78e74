package io.stampedeguard.benchmarks.peers.spring;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.benchmarks.peer.Peer.Load;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerKind.Storage;
import io.stampedeguard.benchmarks.peer.PeerModule;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.spring.StampedeCacheManager;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.CacheManager;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.cache.BatchStrategies;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;
import reactor.core.publisher.Mono;

/** The module of Spring's annotations: this library's manager with each kind of method, and the managers of others. */
public final class SpringPeers implements PeerModule {
    private static final int NEAR_ENTRIES = 10_000;

    /** Creates the module, without a connection. */
    public SpringPeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(
                guarded(
                        "spring-guarded",
                        AnnotatedOrigin::plain,
                        PeerKind.jarOf(StampedeCacheManager.class) + ": @Cacheable on StampedeCacheManager"),
                guarded("spring-guarded-sync", AnnotatedOrigin::sync, "spring-guarded, with sync = true"),
                guarded("spring-guarded-unless", AnnotatedOrigin::unless, "spring-guarded, with unless"),
                guarded("spring-guarded-future", SpringPeers::future, "spring-guarded, of a CompletableFuture"),
                guarded("spring-guarded-mono", SpringPeers::mono, "spring-guarded, of a Mono"),
                new PeerKind(
                        "spring-guarded-near",
                        Storage.REDIS_AND_PROCESS,
                        GuardedSpringPeer.with("spring-guarded-near", AnnotatedOrigin::sync, NEAR_ENTRIES),
                        "spring-guarded-sync, with a near cache of 10,000 entries"),
                new PeerKind(
                        "spring-caffeine",
                        Storage.PROCESS,
                        SpringPeer.with("spring-caffeine", AnnotatedOrigin::sync, SpringPeers::registerCaffeine),
                        PeerKind.jarOf(CaffeineCacheManager.class)
                                + ": @Cacheable(sync = true) on CaffeineCacheManager, maximumSize and expireAfterWrite"),
                redis(
                        "spring-sync",
                        AnnotatedOrigin::sync,
                        RedisCacheWriter::nonLockingRedisCacheWriter,
                        PeerKind.jarOf(RedisCacheWriter.class)
                                + ": @Cacheable(sync = true) on RedisCacheManager with its default writer; string values, Lettuce"),
                redis(
                        "spring-plain",
                        AnnotatedOrigin::plain,
                        RedisCacheWriter::nonLockingRedisCacheWriter,
                        "spring-sync, without sync = true"),
                redis(
                        "spring-locking",
                        AnnotatedOrigin::sync,
                        RedisCacheWriter::lockingRedisCacheWriter,
                        "spring-sync, with RedisCacheWriter.lockingRedisCacheWriter"),
                redis(
                        "spring-scan",
                        AnnotatedOrigin::sync,
                        connections ->
                                RedisCacheWriter.nonLockingRedisCacheWriter(connections, BatchStrategies.scan(1_000)),
                        "spring-sync, with BatchStrategies.scan(1000) instead of KEYS to clear"));
    }

    private static PeerKind guarded(String name, SpringPeer.Method method, String setUp) {
        return new PeerKind(name, Storage.REDIS, GuardedSpringPeer.with(name, method, 0), setUp);
    }

    private static PeerKind redis(
            String name,
            SpringPeer.Method method,
            Function<RedisConnectionFactory, RedisCacheWriter> writer,
            String setUp) {
        SpringPeer.Manager manager =
                (context, prefix, redisUri, options) -> registerRedis(context, prefix, redisUri, options, writer);
        return new PeerKind(name, Storage.REDIS, SpringPeer.with(name, method, manager), setUp);
    }

    private static @Nullable String future(AnnotatedOrigin service, String key, Load load) {
        return service.future(key, load).join();
    }

    private static @Nullable String mono(AnnotatedOrigin service, String key, Load load) {
        Mono<String> value = service.mono(key, load);
        return value.block();
    }

    /**
     * Spring Data Redis as in its page "Redis Cache": a TTL, and Lettuce with the one shared connection of its factory. Values are
     * stored as strings; absence is cached, for the TTL.
     */
    private static void registerRedis(
            GenericApplicationContext context,
            String name,
            String redisUri,
            PeerOptions options,
            Function<RedisConnectionFactory, RedisCacheWriter> writer) {
        context.registerBean(
                LettuceConnectionFactory.class,
                () -> new LettuceConnectionFactory(LettuceConnectionFactory.createRedisConfiguration(redisUri)));
        RedisCacheConfiguration configuration = RedisCacheConfiguration.defaultCacheConfig()
                .prefixCacheNameWith(name + ":")
                .entryTtl(options.ttlOrUsual())
                .serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.string()));
        context.registerBean(
                CacheManager.class,
                () -> RedisCacheManager.builder(writer.apply(context.getBean(LettuceConnectionFactory.class)))
                        .cacheDefaults(configuration)
                        .build());
    }

    private static void registerCaffeine(
            GenericApplicationContext context, String name, String redisUri, PeerOptions options) {
        Duration ttl = options.ttlOrUsual();
        context.registerBean(CacheManager.class, () -> {
            CaffeineCacheManager manager = new CaffeineCacheManager();
            manager.setCaffeine(Caffeine.newBuilder().maximumSize(NEAR_ENTRIES).expireAfterWrite(ttl));
            return manager;
        });
    }
}
