package io.stampedeguard.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.FilterOutcome;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.Step;
import io.stampedeguard.event.StepScope;
import io.stampedeguard.event.WaitOutcome;
import java.time.Duration;

/**
 * Tells a registry of Micrometer what caches do, and, if given another one for them, begins an observation for each load,
 * wait and call of the store: the spans of a trace. Needs {@code io.micrometer:micrometer-core}.
 *
 * <p>All meters of a cache are there, at zero, from its building to its closing; then they leave the registry, with their
 * counts, so that it keeps no dead cache alive. A cache of that name that is built later starts at zero, which Prometheus
 * takes for a restart. Each meter has the tag {@code cache}, the cache's name; the other tags have few values, constants
 * in lower case. A key is never a tag.
 *
 * <table class="striped">
 * <caption>The meters</caption>
 * <thead><tr><th>name</th><th>type</th><th>tag</th><th>meaning</th></tr></thead>
 * <tbody>
 * <tr><td>{@code cache.gets}</td><td>counter</td><td>{@code result}: hit, miss</td><td>answers, by whether the cache had them (near, near_degraded, store, stale, negative) or not</td></tr>
 * <tr><td>{@code cache.puts}</td><td>counter</td><td></td><td>values stored, after a load or by {@code put}</td></tr>
 * <tr><td>{@code cache.evictions}</td><td>counter</td><td></td><td>copies the near cache gave up for want of room</td></tr>
 * <tr><td>{@code cache.size}</td><td>gauge</td><td></td><td>copies in the near cache</td></tr>
 * <tr><td>{@code cache.stampede.lookups}</td><td>counter</td><td>{@code answer}: {@link AnswerSource}</td><td>answers, by where they came from</td></tr>
 * <tr><td>{@code cache.stampede.reads}</td><td>counter</td><td>{@code outcome}: {@link ReadOutcome}</td><td>looks into the store, by what they brought</td></tr>
 * <tr><td>{@code cache.stampede.loads}</td><td>timer</td><td>{@code outcome}: {@link LoadOutcome}</td><td>loads, by how they ended</td></tr>
 * <tr><td>{@code cache.stampede.loads.running}</td><td>gauge</td><td></td><td>permits that are taken now: by loads, and by those who ask the store whether they may load</td></tr>
 * <tr><td>{@code cache.stampede.loads.permits}</td><td>gauge</td><td></td><td>loads that may run at once</td></tr>
 * <tr><td>{@code cache.stampede.loads.stuck}</td><td>gauge</td><td></td><td>loaders that were cut off and have not come to an end</td></tr>
 * <tr><td>{@code cache.stampede.loads.saved}</td><td>counter</td><td></td><td>answers that took no load of the caller's own: all but loaded and failed</td></tr>
 * <tr><td>{@code cache.stampede.loads.duplicate}</td><td>counter</td><td></td><td>loads whose value was refused: the lease was lost, or the key invalidated meanwhile</td></tr>
 * <tr><td>{@code cache.stampede.loads.absent}</td><td>counter</td><td></td><td>loads that found that the origin does not have the key</td></tr>
 * <tr><td>{@code cache.stampede.leases}</td><td>counter</td><td>{@code outcome}: {@link LeaseOutcome}</td><td>attempts to take a lease, and leases found to be lost</td></tr>
 * <tr><td>{@code cache.stampede.waits}</td><td>timer</td><td>{@code outcome}: {@link WaitOutcome}</td><td>waits for a load of somebody else, by how they ended</td></tr>
 * <tr><td>{@code cache.stampede.waiting}</td><td>gauge</td><td></td><td>callers that wait now, for a load or for a permit</td></tr>
 * <tr><td>{@code cache.stampede.wakeup.lag}</td><td>timer</td><td></td><td>how long after there was an answer those who waited had it</td></tr>
 * <tr><td>{@code cache.stampede.stale.age}</td><td>timer</td><td></td><td>how long ago the stale values were loaded that callers got</td></tr>
 * <tr><td>{@code cache.stampede.refreshes}</td><td>counter</td><td>{@code outcome}: {@link RefreshOutcome}</td><td>reloads in the background, by what became of them</td></tr>
 * <tr><td>{@code cache.stampede.cooldowns}</td><td>counter</td><td></td><td>keys that nobody loads for a while, as a load failed here</td></tr>
 * <tr><td>{@code cache.stampede.filter.answers}</td><td>counter</td><td>{@code outcome}: {@link FilterOutcome}</td><td>keys that the key filter was asked for, by what it said</td></tr>
 * <tr><td>{@code cache.stampede.filter.fill}</td><td>gauge</td><td></td><td>share of the key filter's bits that are set</td></tr>
 * <tr><td>{@code cache.stampede.filter.rate}</td><td>gauge</td><td></td><td>estimated share of absent keys that the key filter lets pass; 1 without one</td></tr>
 * <tr><td>{@code cache.stampede.payload}</td><td>summary, bytes</td><td></td><td>sizes of the values stored, as the codec encoded them; "the origin has none" is left out</td></tr>
 * <tr><td>{@code cache.stampede.store.calls}</td><td>timer</td><td>{@code command}: {@link Step} of the store; {@code outcome}: answered, failed</td><td>calls of the store</td></tr>
 * <tr><td>{@code cache.stampede.near.gaps}</td><td>counter</td><td></td><td>times the near cache may have missed changes</td></tr>
 * <tr><td>{@code cache.stampede.faults}</td><td>counter</td><td>{@code source}: {@link FaultSource}</td><td>exceptions that no caller sees</td></tr>
 * </tbody>
 * </table>
 *
 * <p>Timers have buckets, which can be summed up over processes, and no percentiles, which cannot. The observations are
 * {@code cache.stampede.load}, {@code cache.stampede.wait} and {@code cache.stampede.store}, with {@code cache} and, for
 * the store, {@code command} as key values of low cardinality.
 *
 * <p>One listener may serve many caches. Caches of one name in a process that tell the same registry share their meters:
 * their events and gauges are summed up, of the shares the highest is told, and the meters leave with the last of them. A
 * cache that was not opened with this listener has its meters made at its first event, with gauges at zero.
 *
 * <p><em>Thread-safe.</em>
 */
@SuppressWarnings("exports") // Micrometer is optional: who uses this class requires it
public final class MicrometerListener implements CacheListener {
    private final RegistryMeters meters;
    private final StepObservations observations;

    /**
     * Creates a listener that counts and measures, and begins no observations.
     *
     * @param registry where the meters are to be
     */
    public MicrometerListener(MeterRegistry registry) {
        this(registry, ObservationRegistry.NOOP);
    }

    /**
     * Creates a listener that counts and measures, and observes loads, waits and calls of the store.
     *
     * @param registry where the meters are to be
     * @param observations where the observations are to be; one that does nothing costs nothing
     */
    public MicrometerListener(MeterRegistry registry, ObservationRegistry observations) {
        this.meters = RegistryMeters.of(requireNonNull(registry, "registry"));
        this.observations = new StepObservations(requireNonNull(observations, "observations"));
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
    public void onAnswer(String cache, AnswerSource source) {
        meters.of(cache).answers.add(source);
    }

    @Override
    public void onFilter(String cache, FilterOutcome outcome) {
        meters.of(cache).filterAnswers.of(outcome).increment();
    }

    @Override
    public void onRead(String cache, ReadOutcome outcome) {
        meters.of(cache).reads.of(outcome).increment();
    }

    @Override
    public void onLease(String cache, LeaseOutcome outcome) {
        meters.of(cache).leases.of(outcome).increment();
    }

    @Override
    public void onLoad(String cache, LoadOutcome outcome, long nanos) {
        CacheMeters of = meters.of(cache);
        of.loads.of(outcome).record(Duration.ofNanos(nanos));
        if (outcome == LoadOutcome.REFUSED) {
            of.duplicateLoads.increment();
        }
    }

    @Override
    public void onAbsent(String cache) {
        meters.of(cache).absentLoads.increment();
    }

    @Override
    public void onWait(String cache, WaitOutcome outcome, long nanos) {
        meters.of(cache).waits.of(outcome).record(Duration.ofNanos(nanos));
    }

    @Override
    public void onRefresh(String cache, RefreshOutcome outcome) {
        meters.of(cache).refreshes.of(outcome).increment();
    }

    @Override
    public void onStale(String cache, long ageMillis) {
        meters.of(cache).staleAge.record(Duration.ofMillis(ageMillis));
    }

    @Override
    public void onWakeUp(String cache, long lagNanos) {
        meters.of(cache).wakeUpLag.record(Duration.ofNanos(lagNanos));
    }

    @Override
    public void onStored(String cache, int payloadBytes) {
        CacheMeters of = meters.of(cache);
        of.puts.increment();
        if (payloadBytes > 0) {
            of.payload.record(payloadBytes);
        }
    }

    @Override
    public void onCoolDown(String cache, long millis) {
        meters.of(cache).coolDowns.increment();
    }

    @Override
    public void onNearGap(String cache) {
        meters.of(cache).nearGaps.increment();
    }

    @Override
    public StepScope onStep(String cache, Step step) {
        StepScope timed = meters.of(cache)
                .storeCalls
                .begin(step, meters.registry().config().clock());
        return observations.begin(cache, step, timed);
    }

    @Override
    public void onFault(String cache, FaultSource source, Throwable fault) {
        meters.of(cache).faults.of(source).increment();
    }
}
