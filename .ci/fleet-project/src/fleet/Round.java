package fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;

/**
 * A round with a key of its own, between two processes of different versions. Where all are asked, it is in a random order. What
 * is wrong is thrown as a {@link Violation}. A load more than {@link #expectedLoads()} is a miss: a process did not know a format.
 */
final class Round {
    private static final int CALLERS = 4;
    private static final int ATTEMPTS = 20;
    private static final int FILTERED = 500;
    private static final long NOT_FILTERED = 1_000_000;

    private final String key;
    private final Worker one;
    private final Worker other;
    private final List<Worker> all;
    private final Origin origin;
    private final Jedis redis;
    private int expectedLoads;
    private int unreadFilters;

    Round(String key, Worker one, Worker other, List<Worker> all, Origin origin, Jedis redis) {
        this.key = key;
        this.one = one;
        this.other = other;
        this.all = all;
        this.origin = origin;
        this.redis = redis;
    }

    /** What happens in a round. */
    interface Course {
        void run(Round round) throws InterruptedException;
    }

    int misses() {
        return Math.max(0, origin.loads(key) - expectedLoads) + unreadFilters;
    }

    /** W4: a hot key expires in the fleet. One process loads it, and the others wait until its message wakes them. */
    void hotKeyExpires() throws InterruptedException {
        expectedLoads = 2;
        origin.set(key, "brief first");
        expect(one, on("get", "plain"), "value first");
        until(one, on("peek", "plain"), "none");
        origin.hold(key);
        CompletableFuture<String> leading = one.begin(on("get", "plain"));
        Origin.Load load = origin.next(key);
        List<Call> calls = new ArrayList<>(List.of(new Call(one, leading)));
        for (Worker worker : all) {
            for (int i = 0; i < CALLERS && worker != one; i++) {
                calls.add(new Call(worker, worker.begin(on("get", "plain"))));
            }
        }
        awaitWaiting(all.size() - 1, 2);
        origin.set(key, "value second");
        load.answer("value second");
        for (Call call : calls) {
            call.expect("value second");
        }
    }

    /** W9: while one process loads, the other removes the key. Nobody gets the old value afterwards. */
    void removedDuringLoad() throws InterruptedException {
        expectedLoads = 2;
        CompletableFuture<String> leading = one.begin(on("get", "plain"));
        Origin.Load load = origin.next(key);
        does(other, on("invalidate", "plain"));
        origin.set(key, "value new");
        load.answer("value old");
        one.awaited(leading, on("get", "plain"));
        expectOfAll("plain", "value new");
    }

    /** What one process loads or puts, the others read. */
    void entry() throws InterruptedException {
        expectedLoads = 1;
        origin.set(key, "value first");
        expect(one, on("get", "plain"), "value first");
        expectOfAll("plain", "value first");
        origin.set(key, "value second");
        does(other, on("put", "plain") + " second");
        expectOfAll("plain", "value second");
    }

    /** An expired entry answers until one process has reloaded it. */
    void staleEntry() throws InterruptedException {
        expectedLoads = 2;
        origin.set(key, "value old");
        expect(one, on("get", "stale"), "value old");
        origin.set(key, "value new");
        does(other, on("expire", "stale"));
        for (Worker worker : all) {
            until(worker, on("get", "stale"), "value new");
        }
    }

    /** Near copies answer, and a change by the other process removes them. */
    void nearCopy() throws InterruptedException {
        origin.set(key, "value old");
        expectedLoads = loadsUntilCopiesAnswer() + 1;
        origin.set(key, "value new");
        does(other, on("invalidate", "near"));
        for (Worker worker : all) {
            until(worker, on("get", "near"), "value new");
        }
    }

    /**
     * Removes the entry behind the caches until all answer without it; returns how many loads that needs. On a machine that stalls, a
     * process may not trust its copies for a moment, and load. If copies never answer, each load but one is a miss.
     */
    private int loadsUntilCopiesAnswer() throws InterruptedException {
        for (int i = 0; i < ATTEMPTS; i++) {
            expectOfAll("near", "value old");
            int loads = origin.loads(key);
            boolean removed = redis.del("{near:" + key + "}") == 1;
            expectOfAll("near", "value old");
            if (removed && origin.loads(key) == loads) {
                return loads;
            }
        }
        return 1;
    }

    /** The values of a tag are removed. */
    void tag() throws InterruptedException {
        removedBy("invalidateTag plain tag-of-" + key);
    }

    /** All values are removed. */
    void clear() throws InterruptedException {
        removedBy("invalidateAll plain -");
    }

    private void removedBy(String call) throws InterruptedException {
        expectedLoads = 2;
        origin.set(key, "tagged old tag-of-" + key);
        expect(one, on("get", "plain"), "value old");
        expectOfAll("plain", "value old");
        origin.set(key, "value new");
        does(other, call);
        expectOfAll("plain", "value new");
    }

    /** "The origin has none" is cached. */
    void absent() throws InterruptedException {
        expectedLoads = 1;
        origin.set(key, "none");
        expect(one, on("get", "plain"), "none");
        expectOfAll("plain", "none");
    }

    /** A failed load fails the caller that waits in the other process, and the key cools down there until a change. */
    void failure() throws InterruptedException {
        expectedLoads = 2;
        Call leading = new Call(one, one.begin(on("get", "plain")));
        Origin.Load load = origin.next(key);
        Call waiting = new Call(other, other.begin(on("get", "plain")));
        awaitWaiting(1, 1);
        origin.set(key, "value later");
        load.answer("failure");
        leading.expect("failure LoadException");
        waiting.expect("failure RecentLoadFailureException", "value later");
        expect(other, on("get", "plain"), "failure RecentLoadFailureException", "value later");
        does(other, on("invalidate", "plain"));
        expectOfAll("plain", "value later");
    }

    /** A value that is not to be cached answers who waits for it; after that nobody waits for anybody. */
    void notCacheable() throws InterruptedException {
        expectedLoads = 3;
        Call leading = new Call(one, one.begin(on("get", "plain")));
        Origin.Load load = origin.next(key);
        Call waiting = new Call(other, other.begin(on("get", "plain")));
        awaitWaiting(1, 1);
        origin.set(key, "unkept second");
        load.answer("unkept first");
        leading.expect("value first");
        waiting.expect("value first", "value second");
        origin.hold(key);
        List<Call> calls = List.of(
                new Call(one, one.begin(on("get", "plain"))), new Call(other, other.begin(on("get", "plain"))));
        List<Origin.Load> atOnce = List.of(origin.next(key), origin.next(key));
        origin.set(key, "unkept third");
        atOnce.forEach(each -> each.answer("unkept third"));
        for (Call call : calls) {
            call.expect("value third");
        }
    }

    /** A put that is bound to a look-up is refused if the other process has changed the key. */
    void fence() throws InterruptedException {
        origin.set(key, "value newer");
        does(one, on("lookup", "plain"));
        does(other, on("put", "plain") + " newer");
        expect(one, on("putIfUnchanged", "plain") + " older", "false");
        expectOfAll("plain", "value newer");
    }

    /** One process builds the filter, and the other asks it, and adds to it. */
    void filter() throws InterruptedException {
        does(one, "filter rebuild 0 " + FILTERED);
        expectOfAllFilters(0, FILTERED);
        long excluded = Long.parseLong(
                other.call("filter exclude " + NOT_FILTERED + " " + (NOT_FILTERED + FILTERED)));
        unreadFilters = excluded < FILTERED / 2 ? 1 : 0;
        does(other, "filter add " + FILTERED + " " + 2 * FILTERED);
        expectOfAllFilters(0, 2 * FILTERED);
    }

    private void expectOfAllFilters(int from, int to) throws InterruptedException {
        for (Worker worker : all) {
            expect(worker, "filter exclude " + from + " " + to, "0");
        }
    }

    private String on(String call, String cache) {
        return call + " " + cache + " " + key;
    }

    private void expectOfAll(String cache, String expected) throws InterruptedException {
        for (Worker worker : all) {
            expect(worker, on("get", cache), expected);
        }
    }

    private static void does(Worker worker, String call) throws InterruptedException {
        expect(worker, call, "done");
    }

    private static void expect(Worker worker, String call, String... possible) throws InterruptedException {
        expected(worker, call, worker.call(call), possible);
    }

    private static void expected(Worker worker, String call, String answer, String... possible) {
        Violation.unless(
                List.of(possible).contains(answer),
                worker + " answered '" + answer + "' instead of '" + possible[0] + "': " + call);
    }

    /** A {@code get} that has begun. */
    private final class Call {
        private final Worker worker;
        private final CompletableFuture<String> answer;

        private Call(Worker worker, CompletableFuture<String> answer) {
            this.worker = worker;
            this.answer = answer;
        }

        private void expect(String... possible) throws InterruptedException {
            String call = on("get", "plain");
            expected(worker, call, worker.awaited(answer, call), possible);
        }
    }

    private static void until(Worker worker, String call, String expected) throws InterruptedException {
        long begun = System.nanoTime();
        for (String answer = worker.call(call); !answer.equals(expected); answer = worker.call(call)) {
            Violation.unless(!hangs(begun), worker + " keeps answering '" + answer + "': " + call);
        }
    }

    /** Waits until processes wait for a message about this key, whatever its channel is called, while the last of its loads runs. */
    private void awaitWaiting(int processes, int loads) {
        long begun = System.nanoTime();
        long waiting = 0;
        while (waiting < processes) {
            waiting = waiting();
            Violation.unless(origin.loads(key) == loads, "another process loads " + key + " while " + one + " does");
            Violation.unless(!hangs(begun), "of " + processes + " processes, only " + waiting + " wait for " + key);
        }
    }

    private long waiting() {
        String[] channels = redis.pubsubChannels("*" + key + "*").toArray(new String[0]);
        return redis.pubsubNumSub(channels).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static boolean hangs(long begun) {
        return System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(Worker.HANGS_AFTER_SECONDS);
    }
}
