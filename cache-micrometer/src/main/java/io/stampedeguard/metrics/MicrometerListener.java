package io.stampedeguard.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.event.OriginState;

/**
 * A listener that publishes what caches do as meters of a Micrometer registry and, with an observation registry, as observations
 * of each load, wait, and store call: the spans of a trace. Works with Micrometer 1.15 or later.
 *
 * <p>All meters of a cache exist, at zero, from its creation until it is closed. Then they are removed from the registry, so that
 * the registry does not keep a closed cache alive. A cache that is created later with the same name starts at zero, which
 * Prometheus treats as a restart. Each meter has the tag {@code cache}, the name of the cache. All other tags have few values:
 * constants in lower case. Keys are never tags.
 * <table class="striped">
 * <caption>The meters</caption>
 * <thead><tr><th>name</th><th>type</th><th>tag</th><th>meaning</th></tr></thead>
 * <tbody>
 * <tr><td>{@code cache.stampede.lookups}</td><td>counter</td><td>{@code answer}: {@link AnswerSource}</td><td>answers to callers, by source</td></tr>
 * <tr><td>{@code cache.stampede.gets}</td><td>counter</td><td>{@code result}: hit, miss</td><td>the same answers, by whether the cache had them: near, near_degraded, store, stale and negative are hits</td></tr>
 * <tr><td>{@code cache.stampede.reads}</td><td>counter</td><td>{@code outcome}: {@link EventType} STORE_</td><td>reads of the store, by result</td></tr>
 * <tr><td>{@code cache.stampede.puts}</td><td>counter</td><td></td><td>values stored, after a load or by {@code put}</td></tr>
 * <tr><td>{@code cache.stampede.payload}</td><td>summary, bytes</td><td></td><td>sizes of the stored values, as encoded by the codec; absent values are not included</td></tr>
 * <tr><td>{@code cache.stampede.loads}</td><td>timer</td><td>{@code outcome}: {@link EventType} LOAD_</td><td>loads, by result</td></tr>
 * <tr><td>{@code cache.stampede.loads.running}</td><td>gauge</td><td></td><td>load permits in use: by loads, and by callers that ask the store for the lease</td></tr>
 * <tr><td>{@code cache.stampede.loads.permits}</td><td>gauge</td><td></td><td>loads that may run at the same time</td></tr>
 * <tr><td>{@code cache.stampede.fleet.processes}</td><td>gauge</td><td></td><td>processes that share the origin's budget; 0 without one</td></tr>
 * <tr><td>{@code cache.stampede.origin.state}</td><td>gauge</td><td></td><td>how many loads the cache sheds: the ordinal of an {@link OriginState}, 0 to 3</td></tr>
 * <tr><td>{@code cache.stampede.loads.stuck}</td><td>gauge</td><td></td><td>loaders that were interrupted at the {@code loadTimeout} and have not returned</td></tr>
 * <tr><td>{@code cache.stampede.loads.saved}</td><td>counter</td><td></td><td>answers for which the caller did not load: all except loaded and failed</td></tr>
 * <tr><td>{@code cache.stampede.loads.duplicate}</td><td>counter</td><td></td><td>loads whose value was fenced because the lease was lost or the key invalidated</td></tr>
 * <tr><td>{@code cache.stampede.loads.absent}</td><td>counter</td><td></td><td>loads of keys that the origin does not have</td></tr>
 * <tr><td>{@code cache.stampede.loads.unleased}</td><td>counter</td><td>{@code reason}: {@link EventType} UNLEASED_</td><td>loads without a lease, by reason; other processes may load the key at the same time</td></tr>
 * <tr><td>{@code cache.stampede.leases}</td><td>counter</td><td>{@code outcome}: {@link EventType} LEASE_</td><td>attempts to take a lease, and leases found to be lost</td></tr>
 * <tr><td>{@code cache.stampede.waits}</td><td>timer</td><td>{@code outcome}: {@link EventType} WAIT_</td><td>waits for a load by another caller, by result</td></tr>
 * <tr><td>{@code cache.stampede.waiting}</td><td>gauge</td><td></td><td>callers that wait for a load or for a permit</td></tr>
 * <tr><td>{@code cache.stampede.wakeup.lag}</td><td>timer</td><td></td><td>time from the end of a load until a waiting caller received its result</td></tr>
 * <tr><td>{@code cache.stampede.stale.age}</td><td>timer</td><td></td><td>age of the stale values that were returned</td></tr>
 * <tr><td>{@code cache.stampede.refreshes}</td><td>counter</td><td>{@code outcome}: {@link EventType} REFRESH_</td><td>background reloads that were queued or dropped</td></tr>
 * <tr><td>{@code cache.stampede.cooldowns}</td><td>counter</td><td></td><td>failed loads after which no process loads the key for a while</td></tr>
 * <tr><td>{@code cache.stampede.filter.answers}</td><td>counter</td><td>{@code outcome}: {@link EventType} FILTER_</td><td>keys looked up in the key filter, by result</td></tr>
 * <tr><td>{@code cache.stampede.filter.fill}</td><td>gauge</td><td></td><td>share of the key filter's bits that are set</td></tr>
 * <tr><td>{@code cache.stampede.filter.rate}</td><td>gauge</td><td></td><td>estimated false-positive rate of the key filter; 1 without a filter</td></tr>
 * <tr><td>{@code cache.stampede.store.calls}</td><td>timer</td><td>{@code command}: {@link Operation} of the store; {@code outcome}: answered, failed</td><td>calls of the store</td></tr>
 * <tr><td>{@code cache.stampede.changes.queued}</td><td>gauge</td><td></td><td>keys whose changes wait until the store answers</td></tr>
 * <tr><td>{@code cache.stampede.breaker}</td><td>gauge</td><td></td><td>circuit breaker in front of the store: 0 closed, 1 half-open, 2 open</td></tr>
 * <tr><td>{@code cache.stampede.near.size}</td><td>gauge</td><td></td><td>copies in the near cache</td></tr>
 * <tr><td>{@code cache.stampede.near.evictions}</td><td>counter</td><td></td><td>near-cache copies evicted because the cache was full</td></tr>
 * <tr><td>{@code cache.stampede.near.gaps}</td><td>counter</td><td></td><td>times at which the near cache may have missed changes</td></tr>
 * <tr><td>{@code cache.stampede.faults}</td><td>counter</td><td>{@code source}: {@link FaultSource}</td><td>exceptions that no caller sees</td></tr>
 * </tbody>
 * </table>
 *
 * <p>Timers publish count, sum and maximum, and with {@link MicrometerListenerBuilder#histograms histograms(true)} a histogram.
 * They publish no percentiles, since those of several processes cannot be aggregated. A {@code MeterFilter} of the registry can
 * configure each timer differently. All names begin with {@code cache.stampede}, since Micrometer's own cache binders use names
 * like {@code cache.size} with other tags or types, which some registries reject.
 *
 * <p>The observations are {@code cache.stampede.load}, {@code cache.stampede.wait} and {@code cache.stampede.store}, with the low
 * cardinality key values {@code cache} and, for the store, {@code command}.
 *
 * <p>One listener may serve many caches. Caches of the same name in one process and registry share their meters: their events are
 * added, gauges and evictions of the near cache are those of the cache that was opened last, and the meters are removed when that
 * one is closed. For a listener added later, the meters are created at the first event, with gauges at zero.
 * <em>Thread-safe.</em>
 */
public final class MicrometerListener implements CacheListener {
    private final RegistryMeters meters;
    private final OperationObservations observations;

    /**
     * Creates a listener without observations and without histograms.
     *
     * @param registry the registry of the meters
     */
    public MicrometerListener(MeterRegistry registry) {
        this(RegistryMeters.of(requireNonNull(registry, "registry")), ObservationRegistry.NOOP);
    }

    MicrometerListener(RegistryMeters meters, ObservationRegistry observations) {
        this.meters = meters;
        this.observations = new OperationObservations(observations);
    }

    /**
     * {@return a new builder of a listener, by default without observations and without histograms}
     *
     * @param registry the registry of the meters
     */
    public static MicrometerListenerBuilder builder(MeterRegistry registry) {
        return new MicrometerListenerBuilder(registry);
    }

    @Override
    public void onOpen(String cache, CacheGauges gauges) {
        meters.open(cache, gauges);
    }

    @Override
    public void onClose(String cache, CacheGauges gauges) {
        meters.close(cache, gauges);
    }

    @Override
    public void onRead(String cache, AnswerSource source) {
        meters.of(cache).answers.add(source);
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        meters.of(cache).add(event);
    }

    @Override
    public OperationScope onOperation(String cache, Operation operation) {
        OperationScope timed = meters.of(cache)
                .storeCalls
                .begin(operation, meters.registry().config().clock());
        return observations.begin(cache, operation, timed);
    }
}
