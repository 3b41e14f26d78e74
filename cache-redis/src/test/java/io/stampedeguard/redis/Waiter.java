package io.stampedeguard.redis;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Counts its notifications, and lets a test wait for them. <em>Thread-safe.</em> */
public final class Waiter implements Listener {
    private int listenings;
    private int notices;

    @Override
    public synchronized void listening() {
        listenings++;
        notifyAll();
    }

    @Override
    public synchronized void onNotice(Notice notice) {
        notices++;
        notifyAll();
    }

    public synchronized int listenings() {
        return listenings;
    }

    public synchronized int notices() {
        return notices;
    }

    public void awaitListenings(int count) {
        await(() -> listenings >= count);
    }

    public void awaitNotices(int count) {
        await(() -> notices >= count);
    }

    /** Waits for a notification, or for one more confirmation than that. */
    void awaitNoticeOrListenings(int count) {
        await(() -> notices > 0 || listenings >= count);
    }

    private synchronized void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("told to listen " + listenings + " times, heard " + notices + " notices");
            }
            try {
                wait(100);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
