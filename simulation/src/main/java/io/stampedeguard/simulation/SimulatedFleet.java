package io.stampedeguard.simulation;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testbed.measure.Figures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;

/** One run: processes with the real cache, over one simulated Redis and one origin. For one thread. */
final class SimulatedFleet {
    private static final int COLD_ROUNDS = 5;
    private static final int COUNTED_TTLS = 3;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double ZIPF_EXPONENT = 1;
    private static final String VALUE = "x".repeat(100);

    private final Setting setting;
    private final EventLoop loop = new EventLoop();
    private final SimulatedTime time = new SimulatedTime(loop);
    private final UniformRandomProvider random;
    private final SimulatedRedis redis;
    private final SimulatedOrigin origin;
    private final Reads reads = new Reads();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private long countedNanos;

    private SimulatedFleet(Setting setting) {
        this.setting = setting;
        this.random = RandomSource.XO_RO_SHI_RO_128_PP.create(setting.seed());
        this.redis = new SimulatedRedis(loop, setting.roundTrip());
        this.origin = new SimulatedOrigin(setting, another(), VALUE);
        CachePolicy policy = CachePolicy.builder()
                .softTtl(setting.ttl())
                .hardTtl(setting.ttl().multipliedBy(2))
                .build();
        int firstToken = LeaseToken.next().count() + 1;
        for (int i = 0; i < setting.processes(); i++) {
            SimulatedTime own = new SimulatedTime(loop, another()::nextDouble);
            SimulatedStore store = new SimulatedStore(loop, own, redis, setting, i, firstToken);
            processes.add(new SimulatedProcess(own, store, origin, policy, reads));
        }
    }

    private UniformRandomProvider another() {
        return RandomSource.XO_RO_SHI_RO_128_PP.create(random.nextLong());
    }

    /** Runs a simulation and returns its figures. */
    static Figures run(Setting setting) {
        SimulatedFleet fleet = new SimulatedFleet(setting);
        if (setting.scenario() == Scenario.COLD) {
            fleet.coldKeys();
        } else {
            fleet.traffic();
        }
        fleet.loop.run();
        Figures figures = fleet.figures();
        fleet.processes.forEach(SimulatedProcess::close);
        fleet.loop.run();
        fleet.loop.close();
        return figures;
    }

    /** One key after another, each when the loads of the last one are over. */
    private void coldKeys() {
        Duration apart = setting.load().multipliedBy(2).plus(setting.ttl());
        countedNanos = apart.multipliedBy(COLD_ROUNDS).toNanos();
        for (int round = 0; round < COLD_ROUNDS; round++) {
            String key = "cold-" + round;
            time.schedule(apart.multipliedBy(round).toNanos(), () -> {
                for (SimulatedProcess process : processes) {
                    for (int caller = 0; caller < setting.callers(); caller++) {
                        process.read(key);
                    }
                }
            });
        }
    }

    private void traffic() {
        long warmUp =
                setting.ttl().multipliedBy(setting.scenario().warmUpTtls()).toNanos();
        countedNanos = setting.ttl().multipliedBy(COUNTED_TTLS).toNanos();
        time.schedule(warmUp, () -> {
            redis.countAnew();
            origin.countAnew(time.monotonicNanos());
            reads.countAnew();
        });
        for (SimulatedProcess process : processes) {
            process.readUntil(warmUp + countedNanos, another(), NANOS_PER_SECOND / setting.reads(), keys());
        }
    }

    private Supplier<String> keys() {
        if (!setting.scenario().hasManyKeys()) {
            return () -> "hot";
        }
        DiscreteSampler sampler = RejectionInversionZipfSampler.of(another(), setting.keys(), ZIPF_EXPONENT);
        return () -> "key-" + sampler.sample();
    }

    private Figures figures() {
        SimulatedRedis.Use use = redis.use();
        double seconds = countedNanos / NANOS_PER_SECOND;
        long expiries = origin.expiries();
        double each = (double) expiries * setting.processes();
        return Figures.none()
                .with("expiries", expiries)
                .with("loads", origin.loads())
                .withRate("loadsPerExpiry", (double) origin.loads() / expiries)
                .with("originPeak", origin.mostAtOnce())
                .with("originPeakOfAKey", origin.mostOfAKeyAtOnce())
                .with("reads", reads.latencies().count())
                .with("errors", reads.failures())
                .with("commands", use.commands())
                .withRate("commandsPerProcessAndExpiry", use.commands() / each)
                .withRate("commandsBesidesReadsPerProcessAndExpiry", (use.commands() - use.reads()) / each)
                .withRate("requestsPerProcessAndExpiry", use.requests() / each)
                .with("messages", use.messages())
                .withRate("commandsPerSecond", use.commands() / seconds)
                .withRate("bytesInPerSecond", use.bytesIn() / seconds)
                .withRate("bytesOutPerSecond", use.bytesOut() / seconds)
                .withRate("redisBusyShare", use.busyNanos() / (seconds * NANOS_PER_SECOND))
                .withMillis("redisQueueMs", use.longestQueueMillis())
                .with("waits", reads.lags().count())
                .withMillis("wakeUpP50Ms", reads.lags().millisAt(50))
                .withMillis("wakeUpP99Ms", reads.lags().millisAt(99))
                .withMillis("readP50Ms", reads.latencies().millisAt(50))
                .withMillis("readP99Ms", reads.latencies().millisAt(99))
                .withMillis("readMaxMs", reads.latencies().millisAt(100));
    }
}
