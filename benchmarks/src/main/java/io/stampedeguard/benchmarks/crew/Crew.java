package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;

/** Some processes in which peers are opened as rounds need them. For one thread at a time, except {@link #close()}. */
public final class Crew implements AutoCloseable {
    private static final Duration OPENED_WITHIN = Duration.ofSeconds(60);

    /** Many small JVMs on few cores: the quick compiler only, and a collector without threads of its own. */
    private static final MemberCommand MEMBER =
            MemberCommand.of(Member.class).withJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** A single JVM that has the machine to itself: both compilers. */
    private static final MemberCommand OPTIMIZED =
            MemberCommand.of(Member.class).withJvmOptions("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");

    private final Fleet fleet;

    private Crew(Fleet fleet) {
        this.fleet = fleet;
    }

    /** Starts processes that start quickly and use few resources. If this thread is interrupted, no process is left. */
    public static Crew start(int size, String redisUri) throws InterruptedException {
        return start(Fleet.start(size, MEMBER), redisUri);
    }

    /** Starts one process with full optimization. If this thread is interrupted, no process is left. */
    public static Crew startOptimized(String redisUri) throws InterruptedException {
        return start(Fleet.start(1, OPTIMIZED), redisUri);
    }

    private static Crew start(Fleet fleet, String redisUri) throws InterruptedException {
        try {
            fleet.send(Message.of("open").with("redis", redisUri));
            fleet.collect("opened", OPENED_WITHIN);
            return new Crew(fleet);
        } catch (RuntimeException | InterruptedException e) {
            fleet.close();
            throw e;
        }
    }

    /** Returns one of the processes, by its number from 0. */
    public FleetMember member(int index) {
        return fleet.members().get(index);
    }

    /** Returns the first {@code count} processes. */
    public List<FleetMember> members(int count) {
        return fleet.members().subList(0, count);
    }

    /** Stops the processes. */
    @Override
    public void close() {
        fleet.close();
    }
}
