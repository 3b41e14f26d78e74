package io.stampedeguard.demo.serve;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does to both fleets at once what a button says, says so in a line, and some seconds later what came of it.
 * <em>Thread-safe.</em> One thing is done at a time.
 */
final class Actions {
    private static final int MADE_UP_SECONDS = 10;
    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int SOON = 4;
    private static final int LATER = 8;

    /** A button pressed over and over does not fill the memory. */
    private static final int MOST_OUTCOMES = 20;

    private final LiveStage stage;
    private final Feed feed;
    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Outcome> outcomes = new ArrayList<>();

    Actions(LiveStage stage, Feed feed) {
        this.stage = stage;
        this.feed = feed;
    }

    void press(Action action) {
        oneAtATime.lock();
        try {
            switch (action) {
                case EXPIRE_HOT -> expireHot();
                case EXPIRE_ALL -> expireAll();
                case MAKE_KEYS_UP -> makeKeysUp();
                case SLOW_DATABASE -> makeSlow(!stage.isSlow());
                case KILL_PROCESS -> killProcess();
                case STOP_REDIS -> stopOrStartRedis();
            }
        } finally {
            oneAtATime.unlock();
        }
    }

    private void expireHot() {
        if (redisRuns()) {
            watch("The hot key expired", Count.HOT_QUERIES, SOON);
            stage.tellOneOfEach(Orders.expireHot());
            feed.say("The hot key expires, which three in four calls ask for.");
        }
    }

    private void expireAll() {
        if (redisRuns()) {
            watch("All keys expired", Count.QUERIES, SOON);
            stage.tellOneOfEach(Orders.expireAll());
            feed.say("All %d keys expire at once.".formatted(Load.keys().size()));
        }
    }

    private boolean redisRuns() {
        if (!stage.redisRuns()) {
            feed.say("Redis is stopped: there is nothing that could expire.");
        }
        return stage.redisRuns();
    }

    private void makeKeysUp() {
        watch("Made-up keys", Count.MADE_UP_QUERIES, MADE_UP_SECONDS + 1);
        stage.tellAll(Orders.makeKeysUp((long) MADE_UP_SECONDS * MILLIS_PER_SECOND));
        feed.say("For %d s somebody asks for products that do not exist.".formatted(MADE_UP_SECONDS));
    }

    private void makeSlow(boolean slow) {
        watch(slow ? "Slow database" : "Quick database", Count.QUERIES, LATER);
        stage.makeSlow(slow);
        feed.say(
                slow
                        ? "The database is slow now: %,d ms a query.".formatted(Load.SLOW_WORK_MILLIS)
                        : "The database is as quick as before: %,d ms a query.".formatted(Load.WORK_MILLIS));
    }

    private void killProcess() {
        watch("A process was killed", Count.QUERIES, LATER);
        for (Side side : Side.values()) {
            stage.fleet(side).killOne();
        }
        feed.say("A process of each fleet is killed (kill -9); another one takes its place in %d s."
                .formatted(Seat.EMPTY_FOR.toSeconds()));
    }

    private void stopOrStartRedis() {
        boolean stop = stage.redisRuns();
        watch(stop ? "Redis stopped" : "Redis started", Count.QUERIES, LATER);
        if (stop) {
            stage.stopRedis();
            feed.say("Redis is stopped: all cached values are gone.");
        } else {
            stage.startRedis();
            feed.say("Redis runs again, and is empty.");
        }
    }

    private void watch(String of, Count queries, int seconds) {
        Outcome outcome = new Outcome(of, queries, seconds, stage.totals());
        lock.lock();
        try {
            if (outcomes.size() < MOST_OUTCOMES) {
                outcomes.add(outcome);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A second is over: what there is to say of what was done some seconds ago is said. */
    void see(Sample sample) {
        List<Outcome> due = new ArrayList<>();
        lock.lock();
        try {
            outcomes.removeIf(outcome -> outcome.sees(sample) && due.add(outcome));
        } finally {
            lock.unlock();
        }
        due.forEach(outcome -> feed.say(outcome.line(stage.totals())));
    }
}
