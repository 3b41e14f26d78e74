package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Processes that run one test after another, because starting a JVM takes longer than most tests. Their program answers
 * {@code close} with {@code closed} when all its work has ended, and then waits to be opened again. They end with this
 * JVM. <em>Thread-safe.</em>
 */
public final class SpareProcesses {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** More at a time would use the processors for starting them, and the memory. */
    private static final int MOST = 10;

    private final Semaphore inUse = new Semaphore(MOST, true);
    private final Queue<FleetMember> spare = new ConcurrentLinkedQueue<>();
    private final MemberCommand command;

    /** Starts none yet; future ones log nothing below an error, to keep the console readable. */
    public SpareProcesses(Class<?> main) {
        this.command = MemberCommand.small(main, 128).logging("error");
    }

    /** Takes a number of processes for the caller's exclusive use, and starts missing ones; waits for its turn. */
    public List<FleetMember> take(int count) throws InterruptedException {
        inUse.acquire(count);
        List<FleetMember> taken = new ArrayList<>();
        for (FleetMember next = spare.poll(); next != null; next = taken.size() < count ? spare.poll() : null) {
            taken.add(next);
        }
        if (taken.size() < count) {
            taken.addAll(Fleet.start(count - taken.size(), command).members());
        }
        return taken;
    }

    /** Returns processes; kills those that do not end their work. */
    public void giveBack(List<FleetMember> members) {
        members.forEach(SpareProcesses::tellClose);
        for (FleetMember member : members) {
            if (hasClosed(member)) {
                spare.add(member);
            } else {
                member.kill();
            }
        }
        inUse.release(members.size());
    }

    /** Ends the threads of such a process after {@code close}; ends the process if they do not end. */
    public static void end(ExecutorService threads) throws InterruptedException {
        threads.shutdownNow();
        if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
            Runtime.getRuntime().halt(1);
        }
    }

    private static void tellClose(FleetMember member) {
        try {
            member.send(Message.of("close"));
        } catch (IllegalStateException killed) {
            // In that case it does not answer either.
        }
    }

    private static boolean hasClosed(FleetMember member) {
        try {
            Message message = member.receive(PATIENCE);
            while (!message.verb().equals("closed")) {
                message = member.receive(PATIENCE);
            }
            return true;
        } catch (IllegalStateException killedOrStuck) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
