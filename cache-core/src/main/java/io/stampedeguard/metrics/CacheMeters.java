package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.FilterOutcome;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import java.util.concurrent.atomic.LongAdder;

/**
 * The meters of one cache, with one for each value of each tag, so that all are there, at zero, before anything has
 * happened. An event finds its meter by the ordinal of its constant. <em>Thread-safe.</em>
 */
final class CacheMeters {
    final AnswerCounts answers = new AnswerCounts();
    final LongAdder duplicateLoads = new LongAdder();
    final OpenCaches open = new OpenCaches();
    final PerConstant<ReadOutcome, Counter> reads;
    final PerConstant<LeaseOutcome, Counter> leases;
    final PerConstant<RefreshOutcome, Counter> refreshes;
    final PerConstant<FaultSource, Counter> faults;
    final PerConstant<FilterOutcome, Counter> filterAnswers;
    final Counter absentLoads;
    final Counter puts;
    final Counter coolDowns;
    final Counter nearGaps;
    final PerConstant<LoadOutcome, Timer> loads;
    final PerConstant<WaitOutcome, Timer> waits;
    final Timer wakeUpLag;
    final Timer staleAge;
    final DistributionSummary payload;
    final StoreCallTimers storeCalls;

    private final MeterSet<CacheMeters> all;

    CacheMeters(MeterRegistry registry, String cache) {
        all = new MeterSet<>(registry, cache, this);
        reads = all.counters(
                "cache.stampede.reads",
                "Looks into the shared store, by what they brought",
                "outcome",
                ReadOutcome.values());
        leases = all.counters(
                "cache.stampede.leases",
                "Attempts to take a lease, and leases found to be lost",
                "outcome",
                LeaseOutcome.values());
        refreshes = all.counters(
                "cache.stampede.refreshes",
                "Reloads in the background, by what became of them",
                "outcome",
                RefreshOutcome.values());
        faults = all.counters(
                "cache.stampede.faults",
                "Exceptions that no caller sees, by whose they were",
                "source",
                FaultSource.values());
        filterAnswers = all.counters(
                "cache.stampede.filter.answers",
                "Keys that the key filter was asked for, by what it said",
                "outcome",
                FilterOutcome.values());
        absentLoads =
                all.counter("cache.stampede.loads.absent", "Loads that found that the origin does not have the key");
        puts = all.counter("cache.puts", "Values stored, after a load or by put");
        coolDowns = all.counter("cache.stampede.cooldowns", "Keys that nobody loads for a while, as a load failed");
        nearGaps = all.counter("cache.stampede.near.gaps", "Times the near cache may have missed changes");
        loads = all.timers(
                "cache.stampede.loads", "Loads, by how they ended", Buckets.LOADS, "outcome", LoadOutcome.values());
        waits = all.timers(
                "cache.stampede.waits",
                "Waits for a load of somebody else, by how they ended",
                Buckets.WAITS,
                "outcome",
                WaitOutcome.values());
        wakeUpLag = all.timer(
                "cache.stampede.wakeup.lag",
                "How long after there was an answer those who waited for it had it",
                Buckets.WAKE_UP_LAG);
        staleAge = all.timer(
                "cache.stampede.stale.age",
                "How long ago the stale values were loaded that callers got",
                Buckets.STALE_AGE);
        payload = all.bytes("cache.stampede.payload", "Sizes of the values stored, as the codec encoded them");
        storeCalls = new StoreCallTimers(all);
        addCounted();
        addGauges();
    }

    private void addCounted() {
        for (AnswerSource source : AnswerSource.values()) {
            all.counted(
                    "cache.stampede.lookups",
                    "Answers that callers got for keys, by where they came from",
                    meters -> meters.answers.of(source),
                    "answer",
                    TagValues.of(source));
        }
        String gets = "Answers that callers got for keys, by whether the cache had them";
        all.counted("cache.gets", gets, meters -> meters.answers.hits(), "result", "hit");
        all.counted("cache.gets", gets, meters -> meters.answers.misses(), "result", "miss");
        all.counted(
                "cache.stampede.loads.saved",
                "Answers that took no load of the caller's own",
                meters -> meters.answers.saved());
        all.counted(
                "cache.stampede.loads.duplicate",
                "Loads whose value was refused, as another was there or the key invalidated",
                meters -> meters.duplicateLoads.sum());
        all.counted(
                "cache.evictions",
                "Copies that the near cache gave up for want of room",
                meters -> meters.open.nearEvictions());
    }

    private void addGauges() {
        all.gauge("cache.size", "Copies in the near cache", meters -> meters.open.nearSize());
        all.gauge(
                "cache.stampede.loads.running",
                "Permits that are taken now: by loads, and by those who ask the store whether they may",
                meters -> meters.open.loadsRunning());
        all.gauge("cache.stampede.loads.permits", "Loads that may run at once", meters -> meters.open.loadPermits());
        all.gauge(
                "cache.stampede.loads.stuck",
                "Loaders that were cut off and have not come to an end",
                meters -> meters.open.loadsStuck());
        all.gauge("cache.stampede.waiting", "Callers that wait now", meters -> meters.open.waiting());
        all.gauge(
                "cache.stampede.filter.fill",
                "Share of the key filter's bits that are set",
                meters -> meters.open.filterFill());
        all.gauge(
                "cache.stampede.filter.rate",
                "Estimated share of absent keys that the key filter lets pass",
                meters -> meters.open.filterRate());
    }

    /** Takes all away from the registry. Events that are still under way go nowhere. */
    void remove() {
        all.remove();
    }
}
