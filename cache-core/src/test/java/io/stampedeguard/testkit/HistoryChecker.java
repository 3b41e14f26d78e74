package io.stampedeguard.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks through a history for what may not be: a get that began after an invalidation had returned, and was answered with
 * a version older than one that was in the origin when that invalidation began. The begins and ends that matter are
 * walked in order, once:
 *
 * <ol>
 *   <li>a write ends: its version is in the origin from here on at the latest;
 *   <li>an invalidation begins: what it may promise is the newest version that is surely in the origin;
 *   <li>an invalidation returns: its promise is given; of several the highest counts;
 *   <li>a get begins: it must return the highest promised version or a newer one.
 * </ol>
 *
 * <p>Calls that overlap may have happened in any order, and so nothing is asked of them: neither of a get that began
 * before the invalidation returned, nor for a write that had not ended when the invalidation began. Two places that are
 * equal overlap. <em>Not thread-safe</em>; n operations cost n log n steps.
 */
public final class HistoryChecker {
    private final Map<String, Promised> promises = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();

    private HistoryChecker() {}

    /**
     * Checks a history.
     *
     * @param history the calls of all callers, in any order
     * @return each get that is too old, in the order in which they began; empty if all is well
     */
    public static List<Violation> check(Collection<Operation> history) {
        HistoryChecker checker = new HistoryChecker();
        marks(history).forEach(checker::pass);
        return checker.violations;
    }

    private static List<Mark> marks(Collection<Operation> history) {
        List<Mark> marks = new ArrayList<>(history.size());
        for (Operation operation : history) {
            if (operation.ending() == Operation.Ending.RETURNED) {
                addMarks(operation, marks);
            }
        }
        marks.sort(Mark.IN_ORDER);
        return marks;
    }

    private static void addMarks(Operation operation, List<Mark> marks) {
        switch (operation.kind()) {
            case GET -> marks.add(new Mark(operation.begin(), Step.GET_BEGINS, operation));
            case WRITE -> marks.add(new Mark(operation.end(), Step.WRITE_ENDS, operation));
            case INVALIDATION -> {
                marks.add(new Mark(operation.begin(), Step.INVALIDATION_BEGINS, operation));
                marks.add(new Mark(operation.end(), Step.INVALIDATION_RETURNS, operation));
            }
            case EXPIRY -> {} // promises nothing
        }
    }

    private void pass(Mark mark) {
        Operation operation = mark.operation();
        Promised promised = promises.computeIfAbsent(operation.key(), key -> new Promised());
        switch (mark.step()) {
            case GET_BEGINS -> {
                if (promised.by != null && operation.version() < promised.version) {
                    violations.add(new Violation(operation, promised.by, promised.version));
                }
            }
            case INVALIDATION_BEGINS -> promised.begun.put(operation, promised.written);
            case WRITE_ENDS -> promised.written = Math.max(promised.written, operation.version());
            case INVALIDATION_RETURNS -> promised.giveBy(operation);
        }
    }

    /** In the order in which they are passed where their places are equal: such that nothing is asked. */
    private enum Step {
        GET_BEGINS,
        INVALIDATION_BEGINS,
        WRITE_ENDS,
        INVALIDATION_RETURNS
    }

    private record Mark(long place, Step step, Operation operation) {
        static final Comparator<Mark> IN_ORDER =
                Comparator.comparingLong(Mark::place).thenComparing(Mark::step);
    }

    /** What is promised of one key so far. */
    private static final class Promised {
        private final Map<Operation, Long> begun = new IdentityHashMap<>();
        private long written = Long.MIN_VALUE;
        private long version = Long.MIN_VALUE;
        private @Nullable Operation by;

        void giveBy(Operation invalidation) {
            Long newest = begun.remove(invalidation);
            if (newest != null && newest > version) {
                version = newest;
                by = invalidation;
            }
        }
    }

    /**
     * A get that was answered with too old a version.
     *
     * @param get the get
     * @param invalidation the invalidation that had returned before
     * @param promised the oldest version that the get might have returned
     */
    public record Violation(Operation get, Operation invalidation, long promised) {
        /** Tells what happened, in one sentence. */
        @Override
        public String toString() {
            return "%s got version %d of %s in a get that began at %d, though an invalidation by %s had returned at %d, before which version %d was written"
                    .formatted(
                            get.caller(),
                            get.version(),
                            get.key(),
                            get.begin(),
                            invalidation.caller(),
                            invalidation.end(),
                            promised);
        }
    }
}
