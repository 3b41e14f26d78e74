package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.member.Orders;
import io.stampedeguard.demo.serve.stage.LiveStage;
import io.stampedeguard.demo.serve.stage.Takeover;
import io.stampedeguard.testbed.fleet.Message;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The actions of the buttons, on both fleets at once. The effect of the last one is published each second, until it was measured
 * for some seconds, or the next one begins. <em>Thread-safe.</em> One action runs at a time; one that would change nothing is
 * ignored.
 */
public final class Actions {
    private static final long MILLIS_PER_SECOND = 1_000;

    private final LiveStage stage;
    private final Feed feed;
    private final ReentrantLock oneAtATime = new ReentrantLock();
    private long pressed;

    /** The press whose effect is being measured. */
    private @Nullable Press measured;

    public Actions(LiveStage stage, Feed feed) {
        this.stage = stage;
        this.feed = feed;
    }

    public void press(Action action) {
        oneAtATime.lock();
        try {
            switch (action) {
                case EXPIRE_HOT -> expire(action, Orders.expireHot());
                case EXPIRE_ALL -> expire(action, Orders.expireAll());
                case SEND_NONEXISTENT_KEYS -> sendNonexistentKeys(action);
                case SLOW_DATABASE -> makeSlow(action, true);
                case QUICK_DATABASE -> makeSlow(action, false);
                case KILL_PROCESS -> killProcess(action);
                case STOP_REDIS -> stopRedis(action);
                case START_REDIS -> startRedis(action);
                case NEAR_CACHE_OFF -> useNear(action, false);
                case NEAR_CACHE_ON -> useNear(action, true);
            }
        } finally {
            oneAtATime.unlock();
        }
    }

    private void expire(Action action, Message order) {
        if (!stage.redisRuns()) {
            tell(action, "Redis is stopped: there is no key that could expire.");
        } else {
            Press press = begin(action);
            tellLacking(press, stage.tellOneOfEach(order), "nothing expires there");
        }
    }

    private void sendNonexistentKeys(Action action) {
        Press press = begin(action);
        Message order = Orders.sendNonexistentKeys(Sentences.NONEXISTENT_SECONDS * MILLIS_PER_SECOND);
        tellLacking(press, stage.tellAll(order), "nobody requests any there");
    }

    /** The hot key expires as well, because otherwise nobody would query the database soon. */
    private void makeSlow(Action action, boolean slow) {
        if (slow != stage.isSlow()) {
            Press press = begin(action);
            stage.makeSlow(slow);
            if (stage.redisRuns()) {
                tellLacking(press, stage.tellOneOfEach(Orders.expireHot()), "nothing expires there");
            }
        }
    }

    private void killProcess(Action action) {
        Press press = begin(action);
        try {
            Map<Side, Takeover> takeovers = stage.killOneOfEachWhileItLoads();
            observe(press, takeovers.get(Side.GUARDED));
            tellLacking(press, takeovers.keySet(), "nothing is left to kill there");
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void observe(Press press, @Nullable Takeover ofGuarded) {
        press.observe(ofGuarded);
    }

    private void stopRedis(Action action) {
        if (stage.redisRuns()) {
            begin(action);
            stage.stopRedis();
        }
    }

    private void startRedis(Action action) {
        if (!stage.redisRuns()) {
            begin(action);
            stage.startRedis();
        }
    }

    private void useNear(Action action, boolean near) {
        if (!stage.redisRuns()) {
            tell(action, "Redis is stopped: near caches are switched only while it runs.");
        } else if (near != stage.isNear()) {
            stage.useNear(near);
            tell(action, Sentences.before(action, stage.redisRuns()));
        }
    }

    /** Tells of an action without an effect that could be measured. */
    private synchronized void tell(Action action, String sentence) {
        endMeasured();
        long id = ++pressed;
        feed.press(id, Press.json(id, System.currentTimeMillis(), action, sentence));
    }

    private synchronized Press begin(Action action) {
        endMeasured();
        String sentence = Sentences.before(action, stage.redisRuns());
        Press press = new Press(++pressed, System.currentTimeMillis(), action, sentence, stage.totals());
        measured = press;
        publish(press);
        return press;
    }

    private synchronized void tellLacking(Press press, Set<Side> done, String nothing) {
        for (Side side : Side.values()) {
            if (!done.contains(side)) {
                press.lacks(String.format(Locale.ROOT, "The %s fleet has no process now: %s.", side, nothing));
            }
        }
        publish(press);
    }

    /** Adds a second to the effect of the last action. */
    public synchronized void see(Sample sample) {
        Press press = measured;
        if (press != null) {
            if (press.sees(sample)) {
                endMeasured();
            } else {
                publish(press);
            }
        }
    }

    private void endMeasured() {
        Press press = measured;
        if (press != null) {
            press.end(stage.totals());
            publish(press);
            measured = null;
        }
    }

    private void publish(Press press) {
        feed.press(press.id(), press.json(stage.totals()));
    }
}
