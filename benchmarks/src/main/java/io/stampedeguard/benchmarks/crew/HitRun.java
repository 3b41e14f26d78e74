package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.ReleasedThreads;
import io.stampedeguard.testbed.fleet.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The threads of one {@link Hits}: they get ready, are released, and read keys that are in the cache. */
final class HitRun {
    private final Hits hits;
    private final Peer peer;
    private final Answers answers = new Answers();
    private final List<List<String>> asked = new ArrayList<>();
    private final ReleasedThreads readers;

    /** Fills the cache and starts the threads; returns when each of them is ready. */
    HitRun(Hits hits, Peer peer, CompletableFuture<Long> release) throws Exception {
        this.hits = hits;
        this.peer = peer;
        for (int i = 0; i < hits.keys(); i += hits.atOnce()) {
            List<String> together = IntStream.range(i, i + hits.atOnce())
                    .mapToObj(key -> hits.key() + "-" + key)
                    .toList();
            for (String each : together) {
                peer.get(each, key -> Got.OLD.value());
            }
            asked.add(together);
        }
        ThreadFactory threads = hits.kind().factory();
        this.readers = ReleasedThreads.start(
                hits.threads(), task -> threads.newThread(task).start(), release, i -> released -> read(i, released));
        readers.awaitReady();
    }

    /** Waits for the last answer of the last thread, and adds all answers to a message. */
    Message awaitEnd(Message message) throws InterruptedException {
        readers.awaitEnd();
        return answers.in(message);
    }

    private void read(int reader, long released) throws InterruptedException {
        WallClock.awaitMicros(released);
        readOnFrom((int) ((long) reader * asked.size() / hits.threads()));
        answers.addEnd(WallClock.micros());
    }

    private void readOnFrom(int first) {
        long last = System.nanoTime();
        long end = last + hits.length().toNanos();
        for (int i = first; last < end; i = i + 1 == asked.size() ? 0 : i + 1) {
            boolean hit = areHits(asked.get(i));
            long now = System.nanoTime();
            answers.addHit(now - last);
            if (!hit) {
                answers.addFailure();
            }
            last = now;
        }
    }

    @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
    private boolean areHits(List<String> keys) {
        try {
            return keys.size() == 1
                    ? isHit(peer.get(keys.get(0), HitRun::miss))
                    : peer.getAll(keys, HitRun::miss).stream()
                                    .filter(HitRun::isHit)
                                    .count()
                            == keys.size();
        } catch (Exception failed) {
            return false;
        }
    }

    private static boolean isHit(@Nullable String value) {
        return value != null && value.length() == Got.OLD.value().length();
    }

    private static String miss(String key) {
        throw new IllegalStateException("not in the cache: " + key);
    }
}
