package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.testbed.Daemon;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The callers of a process, each a thread that repeatedly pauses, sends a request, and waits for its answer. The
 * attackers do the same with nonexistent keys while an attack lasts. <em>Thread-safe.</em>
 */
final class Callers {
    private final ProductCache products;
    private final Counts counts;
    private final InFlight inFlight;
    private final Reporter reporter;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile long attackUntilNanos = System.nanoTime();

    Callers(ProductCache products, Counts counts, InFlight inFlight, Reporter reporter) {
        this.products = products;
        this.counts = counts;
        this.inFlight = inFlight;
        this.reporter = reporter;
    }

    void startOnce() {
        if (!started.compareAndSet(false, true)) {
            return;
        }
        for (int i = 0; i < Load.CALLERS; i++) {
            int caller = i;
            Daemon.start("caller-" + i, () -> takeTurns(random -> ask(caller, random)));
        }
        for (int i = 0; i < Load.ATTACKERS; i++) {
            int attacker = Load.CALLERS + i;
            Daemon.start("attacker-" + i, () -> takeTurns(random -> attack(attacker, random)));
        }
    }

    void attackFor(long millis) {
        attackUntilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private interface Turn {
        void take(SplittableRandom random) throws InterruptedException;
    }

    private static void takeTurns(Turn turn) {
        SplittableRandom random = new SplittableRandom();
        try {
            while (true) {
                turn.take(random);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask(int caller, SplittableRandom random) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(Load.pauseMillis(random));
        get(caller, Load.key(random));
    }

    private void attack(int attacker, SplittableRandom random) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(Load.attackersPauseMillis());
        if (System.nanoTime() - attackUntilNanos < 0) {
            get(attacker, Load.nonexistentKey(random));
        }
    }

    /** Failed gets are measured, too. */
    private void get(int caller, long key) {
        inFlight.begin(caller);
        try {
            products.get(key);
        } catch (RuntimeException e) {
            counts.add(Count.FAILURES);
        } finally {
            counts.add(Count.CALLS);
            reporter.ended(inFlight.end(caller));
        }
    }
}
