package io.stampedeguard.redis.history;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testkit.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Real processes, each a {@link HistoryMember}, that can be stopped, killed, and replaced while they work, and the
 * history that all of them wrote, including killed ones. For one thread.
 */
final class HistoryFleet implements AutoCloseable {
    private static final int SIZE = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Fleet fleet;
    private final Message open;
    private final Path directory;
    private final CommonGround ground;
    private final long seed;
    private int processes;

    HistoryFleet(MemberCommand command, NearCaches nearCaches, Trouble trouble, String redis, Path directory, long seed)
            throws Exception {
        this.directory = directory;
        this.seed = seed;
        this.ground = CommonGround.open(directory.resolve("ground"), HistoryMember.ALL_KEYS);
        this.open = Message.of("open")
                .with("redis", redis)
                .with("nearCaches", nearCaches)
                .with("trouble", trouble)
                .with("prefix", "h" + Long.toHexString(System.nanoTime()) + "-")
                .with("directory", directory);
        this.fleet = Fleet.start(SIZE, command);
        fleet.members().forEach(this::open);
    }

    private void open(FleetMember member) {
        member.send(open.with("seed", seed + processes).with("process", processes++));
    }

    int size() {
        return SIZE;
    }

    CommonGround ground() {
        return ground;
    }

    /** Stops a process at any point, and resumes it after some time. */
    void pause(int index, Duration length) throws InterruptedException {
        FleetMember member = fleet.members().get(index);
        member.stop();
        try {
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
        } finally {
            member.cont();
        }
    }

    /** Stops all processes but one, until {@link #continueAll}. */
    void stopAllBut(int index) {
        List<FleetMember> others = new ArrayList<>(fleet.members());
        others.remove(index);
        others.forEach(FleetMember::stop);
    }

    void continueAll() {
        fleet.members().forEach(FleetMember::cont);
    }

    /** Kills a process at any point, and starts another in its place. */
    void replace(int index) throws InterruptedException {
        open(fleet.replace(index));
    }

    void requireAllAlive() {
        fleet.requireAllAlive();
    }

    /** Lets the processes end their calls, and returns when they have. */
    void end() throws InterruptedException {
        fleet.send(Message.of("enough"));
        fleet.collect("finished", PATIENCE);
    }

    /** Returns all calls of all processes. */
    List<Operation> history() throws IOException {
        return HistoryFile.readAll(directory);
    }

    @Override
    public void close() {
        fleet.close();
    }
}
