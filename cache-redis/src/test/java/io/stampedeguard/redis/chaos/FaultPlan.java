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
    private static final int FEWEST_BEFORE_THE_RESTART = 3;
    private static final Fault[] OF_CONNECTIONS = {Fault.CONNECTIONS_RESET, Fault.REQUESTS_LOST, Fault.ANSWERS_LOST};

    /** A fault of a time after the begin of the run; {@code process} is the one that it affects, if it affects only one. */
    record Planned(Fault fault, Duration begin, Duration end, int process) {}

    static FaultPlan of(long seed, Duration length, int processes) {
        Random random = new Random(seed);
        List<Fault> order = order(random);
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

    /**
     * Returns the faults at random, but those that break or thin out a connection after the restart of Redis: processes may put back
     * what was changed meanwhile if one comes shortly before it (ADR 0037). Before the restart there is time to fill near caches.
     */
    private static List<Fault> order(Random random) {
        List<Fault> others = new ArrayList<>(EnumSet.complementOf(EnumSet.of(Fault.REDIS_KILLED, OF_CONNECTIONS)));
        Collections.shuffle(others, random);
        int before = FEWEST_BEFORE_THE_RESTART + random.nextInt(others.size() - FEWEST_BEFORE_THE_RESTART);
        List<Fault> after = new ArrayList<>(others.subList(before, others.size()));
        after.addAll(List.of(OF_CONNECTIONS));
        Collections.shuffle(after, random);
        List<Fault> order = new ArrayList<>(others.subList(0, before));
        order.add(Fault.REDIS_KILLED);
        order.addAll(after);
        return order;
    }

    private static long scaled(Duration fault, Duration run) {
        return fault.toMillis() * run.toMillis() / USUAL.toMillis();
    }
}
