package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;

/**
 * Some processes in which peers are opened as rounds need them. Where they are measured, only the size of their heaps differs from
 * the defaults of the JVM. For one thread at a time, except {@link #close()}.
 */
public final class Crew implements AutoCloseable {
    private static final Duration OPENED_WITHIN = Duration.ofSeconds(60);

    /** What the JVMs of a crew are for. */
    public enum Purpose {
        MEASURED,
        /** It is only checked that they work: they live too briefly for the second compiler, and for threads that collect. */
        TRIED;

        /** Many JVMs share the machine's memory. */
        private MemberCommand member() {
            return this == TRIED
                    ? MemberCommand.small(Member.class, 256)
                    : MemberCommand.of(Member.class).withJvmOptions("-Xmx256m");
        }

        /** A single JVM has the machine to itself, and its heap does not grow while it is measured. */
        private MemberCommand alone() {
            return this == TRIED
                    ? MemberCommand.small(Member.class, 512)
                    : MemberCommand.of(Member.class).withJvmOptions("-Xms512m", "-Xmx512m");
        }
    }

    private final Fleet fleet;

    private Crew(Fleet fleet) {
        this.fleet = fleet;
    }

    /** Starts processes. If this thread is interrupted, no process is left. */
    public static Crew start(int size, String redisUri, Purpose purpose) throws InterruptedException {
        return start(Fleet.start(size, purpose.member()), redisUri);
    }

    /** Starts one process with a larger heap. If this thread is interrupted, no process is left. */
    public static Crew startAlone(String redisUri, Purpose purpose) throws InterruptedException {
        return start(Fleet.start(1, purpose.alone()), redisUri);
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
