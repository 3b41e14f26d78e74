package io.stampedeguard.internal.near;

import io.stampedeguard.event.CacheListener;
import io.stampedeguard.internal.near.Copy.Lifetime;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import io.stampedeguard.testkit.StillTime;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Explores the schedules of a thread that reads the store and stores a copy, and of one that changes the store, for one
 * in which a caller that comes after the change gets the old value. Plain conditions instead of assertions, because
 * Lincheck instruments this code.
 */
@ExploresSchedules
class NearCacheLincheckTest {
    private static final String KEY = "near:key";
    private static final LeaseToken TOKEN = new LeaseToken(1, 1, 1);
    private static final long NEVER = Long.MAX_VALUE / 2;
    private static final TimeSource STILL = new StillTime() {
        @Override
        public boolean await(CountDownLatch latch, long nanos) {
            throw new UnsupportedOperationException("nobody waits here");
        }
    };
    private static final CacheContext CONTEXT = new CacheContext(
            "near",
            CachePolicy.defaults(),
            STILL,
            new CacheEvents("near", new CacheListener() {}, STILL),
            new HotKeys("near", STILL));

    /** A process that changes a key itself: no later caller gets the previous value. */
    @Test
    void valueReadBeforeAChangeIsNotAnsweredAfterIt() {
        inEachSchedule(() -> {
            World world = new World();
            Thread reader = new Thread(world::get);
            reader.start();
            world.change(2);
            int seen = world.get();
            Schedules.join(reader);
            return seen == 2 && world.get() == 2;
        });
    }

    /** The same for two readers, of which one may find the copy of the other. */
    @Test
    void copyOfOneReaderIsNotAnsweredToAnotherAfterTheChange() {
        inEachSchedule(() -> {
            World world = new World();
            Thread first = new Thread(world::get);
            AtomicInteger later = new AtomicInteger();
            Thread second = new Thread(() -> {
                boolean changed = world.changed.get() == 2;
                int value = world.get();
                later.set(changed ? value : 2);
            });
            first.start();
            second.start();
            world.change(2);
            world.changed.set(2);
            Schedules.join(first);
            Schedules.join(second);
            return later.get() == 2;
        });
    }

    /**
     * Another process changes the key while this one is disconnected; once it is connected again, no earlier copy is
     * answered.
     */
    @Test
    void copyFromBeforeAGapIsNotAnsweredAfterIt() {
        inEachSchedule(() -> {
            World world = new World();
            Thread reader = new Thread(world::get);
            reader.start();
            world.told.disconnected();
            world.stored.set(2); // and no message arrives
            world.told.listening();
            int seen = world.get();
            Schedules.join(reader);
            return seen == 2 && world.get() == 2;
        });
    }

    /** A store with one key, and a near cache in front of it. */
    private static final class World {
        private final AtomicInteger stored = new AtomicInteger(1);
        private final AtomicInteger changed = new AtomicInteger(1);
        private final AtomicReference<InvalidationEvents.Listener> listener = new AtomicReference<>();
        private final NearCache<String, Integer> near;
        private final InvalidationEvents.Listener told;

        World() {
            near = new NearCache<>(
                    CONTEXT,
                    NearCacheOptions.builder().maximumSize(10).build(),
                    (cache, hears) -> {
                        listener.set(hears.get(0));
                        hears.get(0).listening();
                        return () -> {};
                    },
                    STILL::wallMillis,
                    entry -> 0,
                    ConcurrentHashMap::new); // Lincheck cannot instrument Caffeine
            told = listener.get();
        }

        int get() {
            Copy<Integer> copy = near.get(KEY, STILL.monotonicNanos());
            if (copy != null) {
                return copy.value();
            }
            Ticket ticket = near.open(KEY);
            int value = stored.get();
            near.put(KEY, new Copy<>(value, new Lifetime(ticket, TOKEN, 0, NEVER, NEVER, NEVER, NEVER, 1, Taken.YES)));
            return value;
        }

        void change(int value) {
            stored.set(value);
            told.changed(KEY);
        }
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 100;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Schedules.explore(schedules(), promise);
    }
}
