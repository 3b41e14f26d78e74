package io.stampedeguard.filter;

import io.stampedeguard.filter.bloom.BloomShape;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Explores the schedules of one who announces a row, one who looks it up and one who rebuilds the filter, for one in which a row
 * is declared absent that was announced. Plain conditions instead of assertions: what runs in here is taken apart by Lincheck.
 */
@Isolated("Lincheck instruments the classes of the whole JVM")
class LocalKeyFilterLincheckTest {
    private static final LocalKeyFilterBuilder<Long> SETTINGS =
            LocalKeyFilter.<Long>builder("rows").expectedKeys(1);
    private static final BloomShape SHAPE = BloomShape.of(1, 0.5);
    private static final Long NEW = 42L;
    private static final Long NEVER = 43L;

    /** A row is written, then announced. From then on it is there, however far a rebuild is. */
    @Test
    void announcedRowIsThereWhateverTheRebuildDoes() {
        inEachSchedule(() -> {
            LocalKeyFilter<Long> filter = inForce();
            AtomicInteger rows = new AtomicInteger();
            Thread rebuild = new Thread(() -> filter.rebuild(() -> rows.get() == 0 ? Stream.empty() : Stream.of(NEW)));
            rebuild.start();
            rows.set(1);
            filter.add(NEW);
            boolean atOnce = filter.mightContain(NEW);
            join(rebuild);
            return atOnce && filter.mightContain(NEW) && !filter.mightContain(NEVER);
        });
    }

    /** What is added once a rebuild has begun is there after it, though no stream brings it; and is not lost in between. */
    @Test
    void rowThatIsAddedOnceARebuildHasBegunStaysThere() {
        inEachSchedule(() -> {
            LocalKeyFilter<Long> filter = inForce();
            Thread add = new Thread(() -> filter.add(NEW));
            AtomicInteger found = new AtomicInteger();
            filter.rebuild(() -> {
                add.start();
                found.set(filter.mightContain(NEW) ? 1 : 0);
                return Stream.empty();
            });
            boolean still = filter.mightContain(NEW);
            join(add);
            return (found.get() == 0 || still) && filter.mightContain(NEW);
        });
    }

    /** Somebody who has once found a row does not lose it. */
    @Test
    void rowThatWasFoundIsNotLostAgain() {
        inEachSchedule(() -> {
            LocalKeyFilter<Long> filter = inForce();
            AtomicInteger rows = new AtomicInteger();
            Thread announce = new Thread(() -> {
                rows.set(1);
                filter.add(NEW);
            });
            Thread rebuild = new Thread(() -> filter.rebuild(() -> rows.get() == 0 ? Stream.empty() : Stream.of(NEW)));
            announce.start();
            rebuild.start();
            boolean first = filter.mightContain(NEW);
            boolean then = filter.mightContain(NEW);
            join(announce);
            join(rebuild);
            return (!first || then) && filter.mightContain(NEW);
        });
    }

    private static LocalKeyFilter<Long> inForce() {
        LocalKeyFilter<Long> filter = new LocalKeyFilter<>(SETTINGS, SHAPE);
        filter.rebuild(Stream.empty());
        return filter;
    }

    /** Returns how many schedules are explored for each test. */
    int schedules() {
        return 200;
    }

    private void inEachSchedule(BooleanSupplier promise) {
        Lincheck.runConcurrentTest(schedules(), () -> {
            if (!promise.getAsBoolean()) {
                throw new AssertionError("the promise does not hold in this schedule");
            }
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
