package io.stampedeguard.benchmarks.peers.spring;

import io.stampedeguard.benchmarks.peer.GuardedCounts;
import io.stampedeguard.benchmarks.peer.GuardedPeer;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.spring.StampedeCachingConfiguration;
import java.util.Map;
import java.util.OptionalLong;
import org.springframework.context.support.GenericApplicationContext;

/** {@code StampedeCacheManager} as in the guide for Spring without Boot, with the options of the workload. */
final class GuardedSpringPeer extends SpringPeer {
    private GuardedSpringPeer(Method method, int nearEntries, String name, String redisUri, PeerOptions options) {
        super(
                method,
                (context, prefix, uri, set) -> register(context, prefix, uri, set, nearEntries),
                name,
                redisUri,
                options);
    }

    /** Returns the way to open such a peer, without a near cache if that has no entries. */
    static PeerKind.Opening with(String name, Method method, int nearEntries) {
        return (redisUri, options) -> new GuardedSpringPeer(method, nearEntries, name, redisUri, options);
    }

    private static void register(
            GenericApplicationContext context, String name, String redisUri, PeerOptions options, int nearEntries) {
        GuardedCounts counts = new GuardedCounts();
        context.registerBean(StampedeCachingConfiguration.class);
        context.registerBean(GuardedCounts.class, () -> counts);
        context.registerBean(RedisStore.class, () -> GuardedPeer.store(redisUri, options, name + ":"));
        context.registerBean(
                StampedeCacheManager.class,
                () -> StampedeCacheManager.builder(context.getBean(RedisStore.class))
                        .defaults(cache -> cache.policy(policy -> GuardedPeer.withOptions(policy, options))
                                .nearMaximumSize(nearEntries))
                        .configure(cache -> cache.listener(counts))
                        .build());
    }

    @Override
    public OptionalLong waits() {
        return bean(GuardedCounts.class).waits();
    }

    @Override
    public Map<String, Long> unleasedLoads() {
        return bean(GuardedCounts.class).unleasedLoads();
    }

    @Override
    public String breaker() {
        return GuardedPeer.breakerOf(bean(RedisStore.class));
    }
}
