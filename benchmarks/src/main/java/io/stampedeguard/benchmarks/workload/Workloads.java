package io.stampedeguard.benchmarks.workload;

import java.util.List;

/** All workloads, in the order in which they run; a new one is a file and a line here. */
public final class Workloads {
    /** All workloads, in the order of their names. */
    public static final List<Workload> ALL = List.of(
            new NearHit(),
            new RedisHit(),
            ColdStampede.inOneProcess(),
            ColdStampede.inFourProcesses(),
            ColdStampede.inEightProcesses(),
            new HotKey(),
            new KilledLoader(),
            new FailingLoader(),
            new OtherKey(),
            new LateWriter(),
            StoreOutage.killed(),
            StoreOutage.disturbed(),
            new TraceReplay(),
            new NonexistentKeys(),
            new BesideAttack(),
            new UncontendedMiss(),
            new ManyColdKeys(),
            new GatheredLoads(),
            new ClearedCache(),
            new ChangedRow());

    private Workloads() {}

    public static List<String> names() {
        return ALL.stream().map(Workload::name).toList();
    }
}
