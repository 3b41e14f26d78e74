package io.stampedeguard.internal.call;

import io.stampedeguard.event.OriginState;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Spares an origin under strain, so that loads for which nobody waits do not keep it there (metastable failures: Bronson et al.,
 * HotOS 2021; Huang et al., OSDI 2022):
 * <ol>
 *   <li>The duration of each call of the loader is compared with what is normal for as many keys, as a ratio: of a call that
 *       returned, failed, or timed out, and of one that has run for longer than normal so far.
 *   <li>The normal is the mean over the last minutes in which loads ran, once enough calls were seen. Under strain it follows
 *       more slowly, so that an incident does not become the normal, and a lasting change does. A failure does not teach what is
 *       normal, and counts only if it is slow.
 *   <li>The mean ratio of the last seconds is compared with the thresholds. All means are geometric, and one call counts at most
 *       as the square of the threshold: half of the calls must be slow, not one of them very slow.
 *   <li>A wait for a permit of more than a tenth of the {@code waitTimeout} counts as strain, too.
 *   <li>The state is judged once a second, when a call begins or ends, or a due entry is read; unless it is normal, also without
 *       any of these. Under strain it rises by one step, and falls by one after five seconds of calm. Too few calls are calm.
 * </ol>
 *
 * <p><em>Thread-safe</em>; the lock guards all figures. Nobody waits for it, and no user code runs while it is held.
 */
public final class OriginGuard {
    private static final List<OriginState> STATES = List.of(OriginState.values());
    private static final long PERIOD_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long CALM_NANOS = Duration.ofSeconds(5).toNanos();

    /** What is shorter counts as this long: no origin is under strain whose loads take 1 ms instead of 0.2 ms. */
    private static final double SHORTEST_NANOS = 2e6;

    /** The share of a recent call's weight that is left after a second; it counts for about two seconds. */
    private static final double KEPT_PER_SECOND = 0.5;

    /** The ratio from which on the origin is under strain. */
    private static final double STRAINED_AT = 3;

    /** The ratio below which it has recovered. */
    private static final double RECOVERED_AT = 1.5;

    private static final double FEWEST_RECENT_CALLS = 3;
    private static final double SHARE_OF_WAIT_TIMEOUT = 0.1;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Call> calls =
            ConcurrentHashMap.newKeySet(); // those that run, and those that ended since the last judgement
    private final Normal[] normals = new Normal[Integer.SIZE + 1];
    private final AtomicBoolean timed = new AtomicBoolean();
    private final boolean enabled;
    private final double longestWaitNanos;
    private final LoadPermits permits;
    private final BackgroundTasks tasks;
    private final TimeSource time;
    private final CacheEvents events;
    private double recentCalls;
    private double recentSlowness;
    private long judgedNanos;
    private long strainedNanos;
    private volatile OriginState state = OriginState.NORMAL;
    private volatile long nextNanos;
    private volatile boolean closed;

    public OriginGuard(CacheContext context, LoadPermits permits, BackgroundTasks tasks) {
        CachePolicy policy = context.policy();
        this.enabled = policy.originGuard();
        this.longestWaitNanos =
                SHARE_OF_WAIT_TIMEOUT * (double) policy.waitTimeout().toNanos();
        this.permits = permits;
        this.tasks = tasks;
        this.time = context.time();
        this.events = context.events();
        this.judgedNanos = time.monotonicNanos();
        this.strainedNanos = judgedNanos;
        this.nextNanos = judgedNanos + PERIOD_NANOS;
        for (int i = 0; i < normals.length; i++) {
            normals[i] = new Normal();
        }
    }

    /** One call of the loader, which begins and ends at most once. Not a record: compared by identity. */
    final class Call {
        private static final long RUNNING = -1;

        private final Normal normal;
        private long beganNanos;
        private volatile long tookNanos = RUNNING;
        private volatile boolean failed;

        private Call(Normal normal) {
            this.normal = normal;
        }

        /** Notes that the loader is called now, by the monotonic clock. */
        void begin(long nowNanos) {
            if (enabled && !closed) {
                beganNanos = nowNanos;
                calls.add(this);
                judgeIfDue(nowNanos);
            }
        }

        /** Notes that the loader has returned, or thrown, or was cut off, after a time. */
        void end(boolean returned, long nanos) {
            if (enabled) {
                failed = !returned;
                tookNanos = nanos;
                judgeIfDue(beganNanos + nanos);
            }
        }
    }

    /** The normal duration of calls for about as many keys, as its logarithm. */
    private static final class Normal {
        private static final int ENOUGH = 20;
        private static final double SHARE_PER_SECOND = 1.0 / 300;
        private static final double SHARE_PER_STRAINED_SECOND = 1.0 / 3_600;

        private double log;
        private double seen;
        private double newCalls;
        private double newLogs;

        boolean isKnown() {
            return seen >= ENOUGH;
        }

        /** Returns the logarithm of the ratio of a duration to the normal one; zero as long as that is not known. */
        double slowness(double nanos, double bound) {
            return isKnown() ? Math.max(-bound, Math.min(bound, logOf(nanos) - log)) : 0;
        }

        void add(double nanos) {
            newCalls++;
            newLogs += logOf(nanos);
        }

        /** Learns from the calls that were added: at first each counts the same, later each second in which calls ended. */
        void learn(boolean strained) {
            if (newCalls > 0) {
                boolean slowly = strained && isKnown();
                seen += newCalls;
                double share = slowly ? SHARE_PER_STRAINED_SECOND : Math.max(newCalls / seen, SHARE_PER_SECOND);
                log += share * (newLogs / newCalls - log);
                newCalls = 0;
                newLogs = 0;
            }
        }

        private static double logOf(double nanos) {
            return Math.log(Math.max(nanos, SHORTEST_NANOS));
        }
    }

    /** Returns the call of a loader for a number of keys, not yet begun. */
    Call call(int keys) {
        return new Call(normals[Integer.SIZE - Integer.numberOfLeadingZeros(keys)]);
    }

    /** Returns the state, judged within the last second. Does not block. */
    public OriginState state() {
        if (enabled) {
            judgeIfDue(time.monotonicNanos());
        }
        return state;
    }

    /** Returns the state as it was judged last. */
    public OriginState lastState() {
        return state;
    }

    /** Ends the judgement: the state is normal from now on, and no listener is notified. */
    public void close() {
        closed = true;
        lock.lock();
        try {
            state = OriginState.NORMAL;
        } finally {
            lock.unlock();
        }
    }

    private void judgeIfDue(long now) {
        if (now - nextNanos < 0 || !lock.tryLock()) {
            return;
        }
        try {
            if (now - nextNanos >= 0 && !closed) {
                nextNanos = now + PERIOD_NANOS;
                judge(now);
            }
        } finally {
            lock.unlock();
        }
        judgeLater();
    }

    /** Sets a timer, unless the state is normal: it falls even if nothing is loaded or read any more. */
    private void judgeLater() {
        if (state != OriginState.NORMAL && timed.compareAndSet(false, true)) {
            try {
                time.schedule(PERIOD_NANOS, this::timeIsUp);
            } catch (RuntimeException | Error e) { // no thread for the timer: the next call or read tries again
                timed.set(false);
            }
        }
    }

    private void timeIsUp() {
        timed.set(false);
        judgeIfDue(time.monotonicNanos());
        judgeLater();
    }

    private void judge(long now) {
        double ratio = ratio(now);
        double waited = permits.longestWaitNanos();
        boolean strained = ratio >= STRAINED_AT || waited >= longestWaitNanos;
        boolean calm = ratio < RECOVERED_AT && waited < longestWaitNanos / 2;
        if (!calm) {
            strainedNanos = now;
        }
        if (strained && state != OriginState.DEFERRED) {
            become(STATES.get(STATES.indexOf(state) + 1), ratio, waited);
        } else if (state != OriginState.NORMAL && now - strainedNanos >= CALM_NANOS) {
            strainedNanos = now;
            become(STATES.get(STATES.indexOf(state) - 1), ratio, waited);
        }
        for (Normal normal : normals) {
            normal.learn(state != OriginState.NORMAL);
        }
    }

    /** Takes the calls that have ended since; returns the mean ratio of the recent calls to their normal. */
    private double ratio(long now) {
        double kept = Math.pow(KEPT_PER_SECOND, (now - judgedNanos) / (double) PERIOD_NANOS);
        judgedNanos = now;
        recentCalls *= kept;
        recentSlowness *= kept;
        double bound = 2 * Math.log(STRAINED_AT);
        double running = 0;
        double runningSlowness = 0;
        for (Iterator<Call> each = calls.iterator(); each.hasNext(); ) {
            Call call = each.next();
            long took = call.tookNanos;
            double nanos = (double) (took == Call.RUNNING ? now - call.beganNanos : took);
            double slowness = call.normal.slowness(nanos, bound);
            if (took != Call.RUNNING) {
                each.remove();
                if (!call.failed) {
                    call.normal.add(nanos);
                }
                if (!call.failed || slowness > 0) { // an origin that fails fast is not fast
                    recentCalls += call.normal.isKnown() ? 1 : 0;
                    recentSlowness += slowness;
                }
            } else if (slowness > 0) {
                running++;
                runningSlowness += slowness;
            }
        }
        double all = recentCalls + running;
        return all < FEWEST_RECENT_CALLS ? 1 : Math.exp((recentSlowness + runningSlowness) / all);
    }

    private void become(OriginState next, double ratio, double waitedNanos) {
        OriginState before = state;
        state = next;
        String why = String.format(
                Locale.ROOT,
                "loads take %.1f times as long as normal, and the longest wait for a permit is %.1f s",
                ratio,
                waitedNanos / 1e9);
        tasks.run(() -> events.originState(before, next, why));
    }
}
