package io.stampedeguard.internal.lease;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** When a renewal is due, and that a time source that has thrown once does not end the renewals. */
final class LeaseRenewerTest {
    private static final CachePolicy POLICY = CachePolicy.builder().build();

    private final VirtualTime time = new VirtualTime();
    private final ThrowingTime throwing = new ThrowingTime(time);
    private final ScriptedStore store = new ScriptedStore(InMemoryStore.create(time));

    @AutoClose
    private final LeaseRenewer renewer = renewer(throwing);

    private LeaseRenewer renewer(TimeSource clock) {
        CacheContext context = new CacheContext(
                "test",
                POLICY,
                clock,
                new CacheEvents("test", new RecordingListener(), clock),
                new HotKeys("test", clock));
        return new LeaseRenewer(context, store, new BackgroundTasks("test", "tasks", time));
    }

    private static HeldLease lease(String key) {
        return new HeldLease(key, LeaseToken.next());
    }

    private void keep(String key) {
        renewer.keep(lease(key), time.monotonicNanos());
    }

    private void passALeaseTtl() {
        assertThat(time.timers()).isEqualTo(1);
        time.advance(POLICY.leaseTtl());
    }

    @Test
    void leaseIsRenewedThoughATickCouldNotRun() {
        keep("k");
        throwing.atExecute.set(true);
        passALeaseTtl();

        passALeaseTtl();

        until(() -> store.count(Call.RENEW) == 1);
    }

    @Test
    void leaseIsRenewedThoughTheTimerCouldNotBeSetForAnother() {
        throwing.atSchedule.set(true);
        assertThatThrownBy(() -> keep("another")).isInstanceOf(IllegalStateException.class);
        keep("k");

        passALeaseTtl();

        until(() -> store.count(Call.RENEW) == 1);
    }

    @Test
    void noThreadIsStartedBeforeALeaseIsDue() {
        keep("k");
        time.advance(POLICY.leaseTtl().dividedBy(6));
        time.advance(POLICY.leaseTtl().dividedBy(7));
        assertThat(throwing.executed).hasValue(0);
        assertThat(time.timers()).as("looks again").isEqualTo(1);

        time.advance(POLICY.leaseTtl().dividedBy(6));

        assertThat(throwing.executed).hasValue(1);
        until(() -> store.count(Call.RENEW) == 1);
    }

    @Test
    void noThreadIsStartedForAShortLoad() {
        HeldLease lease = lease("k");
        renewer.keep(lease, time.monotonicNanos());
        assertThat(renewer.letGo(lease)).isTrue();

        passALeaseTtl();

        assertThat(throwing.executed).hasValue(0);
        assertThat(time.timers()).isZero();
    }

    /** A clock that throws once, when a flag is set. */
    private static final class ThrowingTime extends ForwardingTime {
        private final AtomicBoolean atSchedule = new AtomicBoolean();
        private final AtomicBoolean atExecute = new AtomicBoolean();
        private final AtomicInteger executed = new AtomicInteger();

        ThrowingTime(TimeSource clock) {
            super(clock);
        }

        @Override
        public Timer schedule(long length, Runnable task) {
            throwIf(atSchedule);
            return super.schedule(length, task);
        }

        @Override
        public void execute(ThreadPoolExecutor threads, Runnable task) {
            throwIf(atExecute);
            executed.incrementAndGet();
            super.execute(threads, task);
        }

        private static void throwIf(AtomicBoolean flag) {
            if (flag.getAndSet(false)) {
                throw new IllegalStateException("thrown by the test");
            }
        }
    }
}
