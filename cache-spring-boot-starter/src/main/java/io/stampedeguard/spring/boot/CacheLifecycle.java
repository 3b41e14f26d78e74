package io.stampedeguard.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Drains the caches when the application ends: the results of running loads are stored, and leases released.
 *
 * <p>The phase is below those of web servers, so that no request begins a load any more, and of what receives messages or runs
 * tasks. It is above zero, the phase of connection factories; and all lifecycles end before a bean is destroyed, such as the {@code
 * DataSource}. So loads still reach their origin.
 *
 * <p>The context waits for no phase longer than {@code spring.lifecycle.timeout-per-shutdown-phase}. Therefore the caches drain on a
 * thread of their own, and loads that run on after that time are interrupted, so that other processes can load at once.
 *
 * <p>A context that is stopped, or paused between tests, may be started again. Only one that is closed drains its caches, which
 * cannot be opened again.
 */
final class CacheLifecycle implements SmartLifecycle, DisposableBean, ApplicationListener<ContextClosedEvent> {
    /** Boot's web servers stop 1024 and 2048 below the highest phase. */
    static final int PHASE = DEFAULT_PHASE - 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(CacheLifecycle.class);

    private final ApplicationContext context;
    private final Runnable close;
    private final Duration grace;
    private volatile boolean isRunning;
    private volatile boolean isClosing;
    private volatile @Nullable Thread drain;

    /**
     * Creates the lifecycle of a context's caches.
     *
     * @param close drains them; interrupting its thread ends its waits
     * @param grace how long it may go on after that, before the next bean is destroyed
     */
    CacheLifecycle(ApplicationContext context, Runnable close, Duration grace) {
        this.context = context;
        this.close = close;
        this.grace = grace;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (context.equals(event.getApplicationContext())) { // not a child, such as that of the management server
            isClosing = true;
        }
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void start() {
        isRunning = true;
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public void stop(Runnable callback) {
        isRunning = false;
        if (!isClosing) {
            callback.run();
            return;
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        close.run();
                    } finally {
                        callback.run();
                    }
                },
                "stampede-drain");
        thread.setDaemon(true); // destroy() waits for it
        drain = thread;
        thread.start();
    }

    /**
     * Ends the draining if it has not ended: the phase is over, and the next bean may be what the loads need. Drains here if there was no
     * phase, because the context was stopped before, or has failed to start.
     */
    @Override
    public void destroy() throws InterruptedException {
        Thread thread = drain;
        if (thread == null) {
            close.run();
        } else {
            thread.interrupt();
            thread.join(grace.toMillis());
            if (thread.isAlive()) {
                LOG.warn("The caches have not closed within {} after an interrupt; what they load may be lost", grace);
            }
        }
    }
}
