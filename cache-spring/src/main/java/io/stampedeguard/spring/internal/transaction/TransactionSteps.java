package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.spring.internal.transaction.Step.CacheId;
import io.stampedeguard.spring.internal.transaction.Step.Outcome;
import io.stampedeguard.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * What one transaction has done with all caches, in this order, and when it began.
 *
 * <ul>
 *   <li>It is bound to the thread, and registered with the transaction: at its begin by {@link BeginListener}, otherwise when it first
 *       changes or fills a cache. A transaction that is suspended takes it along.
 *   <li>The changes follow in {@link #afterCommit}, which Spring calls after the commit of the database. The order is the highest:
 *       what the application does after the commit, in callbacks of its own, and later in {@code TransactionalEventListener}s, which
 *       are called after the completion, finds caches without the old values.
 *   <li>Spring calls no {@code afterCommit} after one that has thrown. So {@link #afterCompletion} makes the changes that are left.
 *   <li>Of a transaction whose begin nobody has noted, it makes all if JTA is on the class path: Spring may only take part in the
 *       transaction, and then {@code afterCommit} is called before the commit.
 *   <li>Such a transaction can have several scopes of Spring, each with steps of its own, which know those of earlier scopes.
 *   <li>A savepoint that is not known was set before the first step, and its rollback undoes all steps.
 * </ul>
 *
 * <p><em>Thread-safe</em>: a transaction of JTA can end on a thread of its own. No lock is held while a step runs.
 */
final class TransactionSteps implements TransactionSynchronization, ResourceHolder {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionSteps.class);
    private static final TimeSource TIME = TimeSource.system();

    /**
     * How many changes of a cache are remembered, and how many loads of all caches. A clear after the commit stands for further changes.
     * What is loaded further is not stored: to take it back, a rollback would have to clear the caches of the whole fleet.
     */
    private static final int MOST = 10_000;

    /** One for all managers of caches: their changes have one order. */
    private static final Object RESOURCE = TransactionSteps.class;

    /** Only in a transaction of JTA does Spring take part without having begun it. */
    private static final boolean IS_JTA_PRESENT =
            ClassUtils.isPresent("jakarta.transaction.Transaction", TransactionSteps.class.getClassLoader());

    private final List<Step> steps = new ArrayList<>();
    private final Set<Changed> changed = new HashSet<>();

    /** How many changes there are of each cache. */
    private final Map<CacheId, Integer> changes = new HashMap<>();

    private int loads;

    /** How many steps came before each savepoint. */
    private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();

    /** Of the previous scope in the same transaction, if Spring may not have begun it. */
    private final @Nullable TransactionSteps earlier;

    /** What was bound to the thread before, and is again if its transaction goes on: Spring has suspended it for this one. */
    private final @Nullable TransactionSteps replaced;

    private @Nullable Long beganNanos;
    private boolean hasEnded;
    private boolean isVoid;

    /** A key that was changed; {@code null} for all. */
    private record Changed(CacheId cache, @Nullable String key) {}

    private TransactionSteps(@Nullable Long beganNanos, @Nullable TransactionSteps replaced) {
        this.beganNanos = beganNanos;
        this.earlier = beganNanos == null ? replaced : null;
        this.replaced = replaced;
    }

    /** Returns the steps of this thread's transaction, also while it runs callbacks after its commit; {@code null} if there are none. */
    static @Nullable TransactionSteps bound() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? (TransactionSteps) TransactionSynchronizationManager.getResource(RESOURCE)
                : null;
    }

    /** Returns the steps of this thread's transaction, which may be new; {@code null} if there is no transaction. */
    static @Nullable TransactionSteps join() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        TransactionSteps bound = bound();
        boolean isOfThisTransaction = bound != null
                && TransactionSynchronizationManager.getSynchronizations().contains(bound);
        return isOfThisTransaction ? bound : register(null);
    }

    /** Notes the begin of this thread's transaction. */
    static void begin(long beganNanos) {
        register(beganNanos);
    }

    private static TransactionSteps register(@Nullable Long beganNanos) {
        TransactionSteps steps = new TransactionSteps(beganNanos, bound());
        TransactionSynchronizationManager.registerSynchronization(steps);
        steps.resume();
        return steps;
    }

    /** Adds a step; returns whether the transaction has not ended. */
    synchronized boolean add(Step step) {
        if (!hasEnded) {
            int before = changes.getOrDefault(step.cache(), 0);
            Runnable clear = step.clear();
            if (before < MOST || clear == null) {
                append(step);
            } else if (before == MOST) {
                append(step.asClear(clear));
            } // else that clear does it
        }
        return !hasEnded;
    }

    private void append(Step step) {
        steps.add(step);
        count(step);
    }

    private void count(Step step) {
        if (step.isChange()) {
            changes.merge(step.cache(), 1, Integer::sum);
            changed.add(new Changed(step.cache(), step.key()));
        } else {
            loads++;
        }
    }

    /** Returns whether a further change of a cache would be remembered by itself. */
    synchronized boolean hasRoomForChanges(CacheId cache) {
        return changes.getOrDefault(cache, 0) < MOST;
    }

    synchronized boolean hasRoomForLoads() {
        return loads < MOST;
    }

    /** Returns whether the transaction has changed one of some keys of a cache. */
    boolean hasChanged(CacheId cache, Set<String> keys) {
        return isInAnyScope(all -> !all.isEmpty()
                && (all.contains(new Changed(cache, null))
                        || keys.stream().anyMatch(key -> all.contains(new Changed(cache, key)))));
    }

    /** Returns whether the transaction has changed a cache. */
    boolean hasChanges() {
        return isInAnyScope(keys -> !keys.isEmpty());
    }

    private boolean isInAnyScope(Predicate<Set<Changed>> what) {
        for (TransactionSteps each = this; each != null; each = each.earlier) {
            synchronized (each) {
                if (what.test(each.changed)) {
                    return true;
                }
            }
        }
        return false;
    }

    synchronized boolean hasEnded() {
        return hasEnded;
    }

    /**
     * Returns when the transaction began, or a little earlier, by the clock of now: it may have been set since. {@code null} if nobody
     * has noted it.
     */
    synchronized @Nullable Instant begin() {
        if (beganNanos == null) {
            return null;
        }
        long nowMillis = TIME.wallMillis(); // first: what comes between makes the begin earlier
        long millisAgo = TimeUnit.NANOSECONDS.toMillis(TIME.monotonicNanos() - beganNanos) + 1;
        return Instant.ofEpochMilli(nowMillis - millisAgo);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(RESOURCE);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.unbindResourceIfPossible(
                RESOURCE); // of a transaction whose end nobody was told of
        TransactionSynchronizationManager.bindResource(RESOURCE, this);
    }

    @Override
    public synchronized void savepoint(Object savepoint) {
        savepoints.put(savepoint, steps.size());
    }

    /** Called before the database rolls back: what was loaded since the savepoint is removed before others can load it again. */
    @Override
    public void savepointRollback(Object savepoint) {
        run(removeSince(savepoint), Outcome.ROLLED_BACK);
    }

    private synchronized List<Step> removeSince(Object savepoint) {
        int kept = Math.min(savepoints.getOrDefault(savepoint, 0), steps.size());
        List<Step> since = steps.subList(kept, steps.size());
        List<Step> removed = List.copyOf(since);
        since.clear();
        forgetCounts();
        steps.forEach(this::count);
        return removed;
    }

    /** After the commit, a statement on the same connection begins a new snapshot. */
    @Override
    public void afterCommit() {
        synchronized (this) {
            if (beganNanos == null && IS_JTA_PRESENT) {
                return;
            }
            beganNanos = TIME.monotonicNanos();
        }
        run(end(), Outcome.COMMITTED);
    }

    @Override
    public void afterCompletion(int status) {
        List<Step> left = end();
        if (TransactionSynchronizationManager.getResource(RESOURCE) == this) {
            suspend();
            if (replaced != null && !replaced.hasEnded()) {
                replaced.resume();
            }
        }
        synchronized (this) {
            isVoid = true; // unbinds it where the transaction has ended on another thread
        }
        run(
                left,
                switch (status) {
                    case STATUS_COMMITTED -> Outcome.COMMITTED;
                    case STATUS_ROLLED_BACK -> Outcome.ROLLED_BACK;
                    default -> Outcome.UNKNOWN;
                });
    }

    /** From now on, changes take effect at once, also those that a step makes. */
    private synchronized List<Step> end() {
        hasEnded = true;
        List<Step> all = List.copyOf(steps);
        steps.clear();
        forgetCounts();
        savepoints.clear();
        return all;
    }

    private void forgetCounts() {
        changed.clear();
        changes.clear();
        loads = 0;
    }

    /** Never throws: the caller's transaction has ended, and Spring would make its caller believe that it has not. */
    private static void run(List<Step> steps, Outcome outcome) {
        for (Step step : steps) {
            Runnable task = step.after(outcome);
            if (task != null) {
                run(step, task, outcome);
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked") // whatever it is
    private static void run(Step step, Runnable task, Outcome outcome) {
        try {
            task.run();
        } catch (Throwable e) {
            LOG.warn(
                    "cache '{}': a change {} has failed, and the cache may serve an old value until that expires",
                    step.cache().name(),
                    switch (outcome) {
                        case COMMITTED -> "after the commit of a transaction";
                        case ROLLED_BACK -> "after the rollback of a transaction";
                        case UNKNOWN -> "after a transaction with an unknown outcome";
                    },
                    e);
        }
    }

    @Override
    public void reset() {}

    @Override
    public void unbound() {}

    @Override
    public synchronized boolean isVoid() {
        return isVoid;
    }
}
