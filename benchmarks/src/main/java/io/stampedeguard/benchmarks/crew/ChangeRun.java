package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The reads of one {@link Change}, and the removal if it is this process' part. */
final class ChangeRun {
    private final String key;
    private final Peer peer;
    private final Answers answers = new Answers();
    private final CompletableFuture<Void> end;

    /** Reads the old value and does its part, or begins to watch; throws if the peer cannot remove or clear. */
    ChangeRun(Change change, Peer peer, Executor threads, CompletableFuture<Long> release) {
        this.key = change.key();
        this.peer = peer;
        Answers.Read before = read(Got.OLD);
        if (change.part() == Change.Part.WATCH) {
            this.end = CompletableFuture.runAsync(() -> watch(before, release), threads);
            return;
        }
        answers.add(before, true);
        if (change.part() == Change.Part.CLEAR) {
            peer.clear();
        } else {
            peer.remove(key);
        }
        answers.add(read(Got.NEW), true);
        this.end = CompletableFuture.completedFuture(null);
    }

    /** Waits for the last read, and adds the answers to a message. */
    Message awaitEnd(Message message) {
        end.join();
        return answers.in(message);
    }

    /** A load is one of the new row: the key is in the cache until its row has changed. */
    private void watch(Answers.Read before, CompletableFuture<Long> release) {
        Answers.Read lastOld = before;
        boolean released;
        do {
            released = release.isDone();
            Answers.Read read = read(Got.NEW);
            if (read.got() == Got.OLD) {
                lastOld = read;
            } else {
                answers.add(read, false);
            }
        } while (!released);
        answers.add(lastOld, true);
    }

    private Answers.Read read(Got row) {
        return Answers.Read.of(peer, key, loaded -> {
            long now = WallClock.micros();
            answers.addLoad(now, now);
            return row.value();
        });
    }
}
