package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.member.Orders;
import io.stampedeguard.demo.serve.stage.LiveStage;
import io.stampedeguard.demo.serve.stage.Seat;
import io.stampedeguard.testbed.fleet.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The actions of the buttons, on both fleets at once. Each action is logged in a line, and some seconds later so is its
 * effect. The figures of the last action are published each second until then. <em>Thread-safe.</em> One action runs at
 * a time; one that would change nothing is ignored. Lines are English, whatever the locale.
 */
public final class Actions {
    private static final int NONEXISTENT_SECONDS = 10;
    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int SOON = 4;
    private static final int LATER = 8;
    private static final int LONGEST = NONEXISTENT_SECONDS + 1;

    /** A limit, so that a button that is pressed repeatedly does not fill the memory. */
    private static final int MOST_OUTCOMES = 20;

    private final LiveStage stage;
    private final Feed feed;
    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Outcome> outcomes = new ArrayList<>();

    /** The outcome whose figures the page shows; null before the first action, and after its last second. */
    private @Nullable Outcome shown;

    /** The counts at the end of each of the last seconds. */
    private final Deque<Map<Side, Tally>> past = new ArrayDeque<>();

    public Actions(LiveStage stage, Feed feed) {
        this.stage = stage;
        this.feed = feed;
    }

    public void press(Action action) {
        oneAtATime.lock();
        try {
            switch (action) {
                case EXPIRE_HOT -> expireHot();
                case EXPIRE_ALL -> expireAll();
                case SEND_NONEXISTENT_KEYS -> sendNonexistentKeys();
                case SLOW_DATABASE -> makeSlow(true);
                case QUICK_DATABASE -> makeSlow(false);
                case KILL_PROCESS -> killProcess();
                case STOP_REDIS -> stopRedis();
                case START_REDIS -> startRedis();
            }
        } finally {
            oneAtATime.unlock();
        }
    }

    private void expireHot() {
        expire(
                Orders.expireHot(),
                "The hot key expires, which three in four calls request.",
                watch("The hot key expired", Count.HOT_QUERIES, SOON));
    }

    private void expireAll() {
        expire(
                Orders.expireAll(),
                String.format(
                        Locale.ROOT, "All %d keys expire at once.", Load.keys().size()),
                watch("All keys expired", Count.QUERIES, SOON));
    }

    private void expire(Message order, String line, Outcome outcome) {
        if (!stage.redisRuns()) {
            feed.say("Redis is stopped: there is no key that could expire.");
        } else {
            say(line, "nothing expires there", stage.tellOneOfEach(order), outcome);
        }
    }

    private void sendNonexistentKeys() {
        Outcome outcome = watch("Nonexistent keys", Count.NONEXISTENT_QUERIES, LONGEST);
        Message order = Orders.sendNonexistentKeys((long) NONEXISTENT_SECONDS * MILLIS_PER_SECOND);
        say(
                String.format(
                        Locale.ROOT, "For %d s, callers also request products that do not exist.", NONEXISTENT_SECONDS),
                "nobody requests any there",
                stage.tellAll(order),
                outcome);
    }

    private void makeSlow(boolean slow) {
        if (slow == stage.isSlow()) {
            return;
        }
        Outcome outcome = watch(slow ? "Slow database" : "Fast database", Count.QUERIES, LATER);
        stage.makeSlow(slow);
        feed.say(
                slow
                        ? String.format(Locale.ROOT, "The database is slow now: %,d ms a query.", Load.SLOW_WORK_MILLIS)
                        : String.format(Locale.ROOT, "The database is fast again: %,d ms a query.", Load.WORK_MILLIS));
        add(outcome);
    }

    private void killProcess() {
        Outcome outcome = watch("A process was killed", Count.QUERIES, LATER);
        String next = stage.redisRuns()
                ? String.format(Locale.ROOT, "another one is started in its place in %d s.", Seat.EMPTY_FOR.toSeconds())
                : "another one takes its place when Redis runs again.";
        Set<Side> killed = stage.killOneOfEach();
        String whose = killed.size() == 1 ? "the " + killed.iterator().next() + " fleet" : "each fleet";
        say(
                "A process of " + whose + " is killed (kill -9); " + next,
                "nothing is left to kill there",
                killed,
                outcome);
    }

    private void stopRedis() {
        if (stage.redisRuns()) {
            Outcome outcome = watch("Redis stopped", Count.QUERIES, LATER);
            stage.stopRedis();
            feed.say("Redis is stopped: all cached values are gone.");
            add(outcome);
        }
    }

    private void startRedis() {
        if (!stage.redisRuns()) {
            Outcome outcome = watch("Redis started", Count.QUERIES, LATER);
            stage.startRedis();
            feed.say("Redis runs again, and is empty.");
            add(outcome);
        }
    }

    /** Logs the action, observes its effect on each fleet with a process, and logs for the others that they have none. */
    private void say(String line, String nothing, Set<Side> done, Outcome outcome) {
        if (!done.isEmpty()) {
            feed.say(line);
            add(outcome);
        }
        for (Side side : Side.values()) {
            if (!done.contains(side)) {
                feed.say(String.format(Locale.ROOT, "The %s fleet has no process now: %s.", side, nothing));
            }
        }
    }

    private Outcome watch(String of, Count queries, int seconds) {
        return new Outcome(of, queries, seconds, stage.totals(), totalsBefore(seconds));
    }

    /** Returns the counts of so many seconds ago; empty if it has not run for so long. */
    private Map<Side, Tally> totalsBefore(int seconds) {
        lock.lock();
        try {
            return past.stream().skip(seconds - 1L).findFirst().orElse(Map.of());
        } finally {
            lock.unlock();
        }
    }

    private void add(Outcome outcome) {
        lock.lock();
        try {
            if (outcomes.size() < MOST_OUTCOMES) {
                outcomes.add(outcome);
                shown = outcome;
                feed.contrast(outcome.figures(stage.totals()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Adds a second to the outcomes of the last actions, and logs those that are complete. */
    public void see(Sample sample) {
        List<String> lines = new ArrayList<>();
        lock.lock();
        try {
            Map<Side, Tally> now = stage.totals();
            past.addFirst(sample.totals());
            if (past.size() > LONGEST) {
                past.removeLast();
            }
            List<Outcome> due =
                    outcomes.stream().filter(outcome -> outcome.sees(sample)).toList();
            outcomes.removeAll(due);
            due.forEach(outcome -> lines.add(outcome.line(now)));
            if (shown != null) {
                feed.contrast(shown.figures(now));
                shown = due.contains(shown) ? null : shown;
            }
        } finally {
            lock.unlock();
        }
        lines.forEach(feed::say);
    }
}
