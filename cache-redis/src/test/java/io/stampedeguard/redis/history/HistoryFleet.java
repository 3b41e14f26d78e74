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

    private final List<Fleet> places = new ArrayList<>(); // of one member each: a fleet does not replace dead members
    private final MemberCommand command;
    private final Message open;
    private final Path directory;
    private final CommonGround ground;
    private final long seed;
    private int processes;

    HistoryFleet(MemberCommand command, NearCaches nearCaches, Trouble trouble, String redis, Path directory, long seed)
            throws Exception {
        this.command = command;
        this.directory = directory;
        this.seed = seed;
        this.ground = CommonGround.open(directory.resolve("ground"), HistoryMember.ALL_KEYS);
        this.open = Message.of("open")
                .with("redis", redis)
                .with("nearCaches", nearCaches)
                .with("trouble", trouble)
                .with("prefix", "h" + Long.toHexString(System.nanoTime()) + "-")
                .with("directory", directory);
        try {
            for (int i = 0; i < SIZE; i++) {
                places.add(Fleet.begin(1, command));
            }
            for (Fleet place : places) {
                open(place);
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private void open(Fleet place) throws InterruptedException {
        place.awaitStart();
        place.send(open.with("seed", seed + processes).with("process", processes++));
    }

    int size() {
        return SIZE;
    }

    CommonGround ground() {
        return ground;
    }

    /** Stops a process at any point, and resumes it after some time. */
    void pause(int index, Duration length) throws InterruptedException {
        FleetMember member = places.get(index).members().get(0);
        member.stop();
        try {
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
        } finally {
            member.cont();
        }
    }

    /** Kills a process at any point, and starts another in its place. */
    void replace(int index) throws InterruptedException {
        places.get(index).close();
        places.set(index, Fleet.begin(1, command));
        open(places.get(index));
    }

    void requireAllAlive() {
        for (Fleet place : places) {
            FleetMember member = place.members().get(0);
            if (!member.isAlive()) {
                throw new IllegalStateException(member + " has ended; standard error tells why");
            }
        }
    }

    /** Lets the processes end their calls, and returns when they have. */
    void end() throws InterruptedException {
        places.forEach(place -> place.send(Message.of("enough")));
        for (Fleet place : places) {
            place.collect("finished", PATIENCE);
        }
    }

    /** Returns all calls of all processes. */
    List<Operation> history() throws IOException {
        return HistoryFile.readAll(directory);
    }

    @Override
    public void close() {
        places.forEach(Fleet::close);
    }
}
