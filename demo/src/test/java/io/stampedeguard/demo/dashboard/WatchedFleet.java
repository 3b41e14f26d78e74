package io.stampedeguard.demo.dashboard;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Two processes that share a real Redis of their own, which can be stopped, with a policy under which much happens
 * within seconds.
 */
final class WatchedFleet implements AutoCloseable {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(Duration.ofSeconds(1))
            .hardTtl(Duration.ofSeconds(4))
            .negativeTtl(Duration.ofMillis(500))
            .loadTimeout(Duration.ofSeconds(2))
            .waitTimeout(Duration.ofSeconds(5))
            .maxConcurrentLoads(24)
            .build();

    private final RedisProcess redis = RedisServer.startProcess();
    private final SlowOrigin origin = new SlowOrigin();
    private final List<WatchedProcess> processes;

    WatchedFleet() throws IOException {
        processes = List.of(process(), process());
        buildFilter();
    }

    private WatchedProcess process() throws IOException {
        return new WatchedProcess(redis.uri(), POLICY, origin);
    }

    /** The keys of all products, and of one that has since been deleted. */
    void buildFilter() {
        Supplier<Stream<Long>> keys =
                () -> LongStream.rangeClosed(1, SlowOrigin.DELETED).boxed();
        processes.get(0).filter().rebuild(keys);
    }

    List<WatchedProcess> processes() {
        return processes;
    }

    SlowOrigin origin() {
        return origin;
    }

    RedisProcess redis() {
        return redis;
    }

    @Override
    public void close() {
        processes.forEach(WatchedProcess::close);
        redis.close();
    }
}
