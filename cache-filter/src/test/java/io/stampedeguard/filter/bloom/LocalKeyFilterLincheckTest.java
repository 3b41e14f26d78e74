package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.testkit.ExploresSchedules;
import io.stampedeguard.testkit.Schedules;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Explores the schedules of a thread that announces a row, one that looks it up, and one that rebuilds the filter, for
 * one in which an announced row is declared absent. Plain conditions instead of assertions, because Lincheck
 * instruments this code.
 */
@ExploresSchedules
class LocalKeyFilterLincheckTest {
    private static final LocalKeyFilterBuilder<Long> SETTINGS =
            LocalKeyFilter.<Long>builder("rows").expectedKeys(1);
    private static final BloomShape SHAPE = BloomShape.of(1, 0.5);
    private static final Long NEW = 42L;
    private static final Long NEVER = 43L;

    /** A row is written, then announced. From then on it is found, at any stage of a rebuild. */
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
            Schedules.join(rebuild);
            return atOnce && filter.mightContain(NEW) && !filter.mightContain(NEVER);
        });
    }

    /**
     * A row added after the beginning of a rebuild is found after it, although no stream contains it; nor is it missing
     * in between.
     */
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
            Schedules.join(add);
            return (found.get() == 0 || still) && filter.mightContain(NEW);
        });
    }

    /** A thread that has once found a row finds it again. */
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
            Schedules.join(announce);
            Schedules.join(rebuild);
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
        Schedules.explore(schedules(), promise);
    }
}
