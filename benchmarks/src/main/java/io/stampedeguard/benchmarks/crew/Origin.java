package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.WallClock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The origin of one round. It counts its loads, takes a configured time, and holds a value that changes at an instant
 * of the wall clock, for all processes at once. Loads run on the caller's thread. <em>Thread-safe.</em>
 */
final class Origin implements Peer.Load {
    private final Row row;
    private final long changesMicros;
    private final Answers answers;
    private final Runnable announce;
    private final Thread caller = Thread.currentThread();

    Origin(Row row, long releaseMicros, Answers answers, Runnable announce) {
        this.row = row;
        this.changesMicros =
                releaseMicros + TimeUnit.NANOSECONDS.toMicros(row.changes().toNanos());
        this.answers = answers;
        this.announce = announce;
    }

    @Override
    public String load(String key) throws Exception {
        long began = WallClock.micros();
        if (row.announced()) {
            announce.run();
        }
        if (caller.equals(Thread.currentThread())) {
            answers.addOwnLoad();
        }
        try {
            TimeUnit.NANOSECONDS.sleep(row.takes().toNanos());
        } finally {
            answers.addLoad(began, WallClock.micros());
        }
        if (row.fails()) {
            throw new OriginFailure();
        }
        return (began < changesMicros ? Got.OLD : Got.NEW).value();
    }

    /** The exception of a failing origin, of a kind that also caches that tell kinds apart take for a failure of infrastructure. */
    static final class OriginFailure extends IOException {
        private static final long serialVersionUID = 1;

        OriginFailure() {
            super("the origin fails, as the workload specifies");
        }
    }
}
