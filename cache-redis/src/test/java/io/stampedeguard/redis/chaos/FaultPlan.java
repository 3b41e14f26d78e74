package io.stampedeguard.redis.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;

/**
 * The faults of a run, each once, one after the other, with equal pauses; the run begins and ends without a fault. Equal seeds
 * make equal plans. <em>Immutable.</em>
 */
record FaultPlan(long seed, Duration length, List<Planned> faults) {
    private static final Duration USUAL = Duration.ofMinutes(1);
    private static final int LEAD = 15; // one in so many parts of the run
    private static final int TAIL = 10;

    /** A fault of a time after the begin of the run; {@code process} is the one that it affects, if it affects only one. */
    record Planned(Fault fault, Duration begin, Duration end, int process) {}

    static FaultPlan of(long seed, Duration length, int processes) {
        Random random = new Random(seed);
        List<Fault> order = new ArrayList<>(EnumSet.allOf(Fault.class));
        Collections.shuffle(order, random);
        long lasting = order.stream()
                .mapToLong(fault -> scaled(fault.length(), length))
                .sum();
        long at = length.toMillis() / LEAD;
        long pause = (length.toMillis() - at - length.toMillis() / TAIL - lasting) / order.size();
        List<Planned> faults = new ArrayList<>();
        for (Fault fault : order) {
            long end = at + scaled(fault.length(), length);
            faults.add(new Planned(fault, Duration.ofMillis(at), Duration.ofMillis(end), random.nextInt(processes)));
            at = end + pause;
        }
        return new FaultPlan(seed, length, List.copyOf(faults));
    }

    private static long scaled(Duration fault, Duration run) {
        return fault.toMillis() * run.toMillis() / USUAL.toMillis();
    }
}
